package io.distributedlock.sample.page;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOInvalidTreeException;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;

/** An animated GIF of screenshots, at half their size, that begins anew at its end. */
final class AnimatedImage {

	/** The format of the metadata of the JDK's writer. */
	private static final String FORMAT = "javax_imageio_gif_image_1.0";

	/** How often it begins anew: for ever. */
	private static final byte[] LOOP = { 1, 0, 0 };

	/** The most frames of the file, or it would be large. */
	private static final int MOST_FRAMES = 30;

	private final List<BufferedImage> frames = new ArrayList<>();

	void add(byte[] screenshot) {
		try {
			BufferedImage whole = ImageIO.read(new ByteArrayInputStream(screenshot));
			BufferedImage half = new BufferedImage(whole.getWidth() / 2, whole.getHeight() / 2,
					BufferedImage.TYPE_INT_RGB);
			Graphics2D graphics = half.createGraphics();
			graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC);
			graphics.drawImage(whole, 0, 0, half.getWidth(), half.getHeight(), null);
			graphics.dispose();
			this.frames.add(half);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Write the file.
	 * @param centis how long each screenshot is shown, in hundredths of a second
	 * @param lastCentis how long the last one is shown
	 */
	void write(Path file, int centis, int lastCentis) throws IOException {
		ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
		Files.deleteIfExists(file);
		try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
			writer.setOutput(out);
			writer.prepareWriteSequence(null);
			int last = this.frames.size() - 1;
			int step = last / MOST_FRAMES + 1;
			for (int i = last % step; i <= last; i += step) {
				boolean first = i < step;
				IIOMetadata metadata = metadata(writer, this.frames.get(i), first, (i < last) ? centis : lastCentis);
				writer.writeToSequence(new IIOImage(this.frames.get(i), null, metadata), null);
			}
			writer.endWriteSequence();
		}
		finally {
			writer.dispose();
		}
	}

	private static IIOMetadata metadata(ImageWriter writer, BufferedImage frame, boolean first, int centis)
			throws IIOInvalidTreeException {
		IIOMetadata metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(frame), null);
		IIOMetadataNode root = new IIOMetadataNode(FORMAT);
		IIOMetadataNode control = new IIOMetadataNode("GraphicControlExtension");
		control.setAttribute("disposalMethod", "none");
		control.setAttribute("userInputFlag", "FALSE");
		control.setAttribute("transparentColorFlag", "FALSE");
		control.setAttribute("delayTime", Integer.toString(centis));
		control.setAttribute("transparentColorIndex", "0");
		root.appendChild(control);
		if (first) {
			IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
			loop.setAttribute("applicationID", "NETSCAPE");
			loop.setAttribute("authenticationCode", "2.0");
			loop.setUserObject(LOOP);
			IIOMetadataNode extensions = new IIOMetadataNode("ApplicationExtensions");
			extensions.appendChild(loop);
			root.appendChild(extensions);
		}
		metadata.mergeTree(FORMAT, root);
		return metadata;
	}

}
