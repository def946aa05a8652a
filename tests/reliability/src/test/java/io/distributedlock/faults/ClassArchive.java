package io.distributedlock.faults;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.LockException;
import io.distributedlock.LockRequest;

/**
 * The classes of the libraries in an archive, which a process maps instead of reading
 * them from their jars (class data sharing of the JVM): a process that takes a lock needs
 * a third less processor time. One of the processes that run tests makes it while the
 * first tests run; until it is there, processes start without it.
 */
final class ClassArchive {

	/** An archive has classes of jars only, which come first. */
	static final String CLASS_PATH = Stream.concat(entries(true), entries(false)).reduce(ClassArchive::join).orElse("");

	private static final String JARS = entries(true).reduce(ClassArchive::join).orElse("");

	private static final Path TARGET = Path.of("target").toAbsolutePath();

	/** Another one for other jars and for another JVM. */
	private static final Path FILE = TARGET.resolve(
			"classes-%08x.jsa".formatted((JARS + ages() + ClientClock.bootClassPath() + Runtime.version()).hashCode()));

	/** Few processes do not need as much time as the archive. */
	private static final int FEW = 3;

	private static final AtomicInteger STARTED = new AtomicInteger();

	private ClassArchive() {
	}

	/** The option with which the next process has the archive, if it is there. */
	static List<String> option() {
		if (STARTED.incrementAndGet() == FEW) {
			Thread maker = new Thread(ClassArchive::make, "class-archive");
			maker.setDaemon(true);
			maker.start();
		}
		return Files.exists(FILE) ? List.of("-XX:SharedArchiveFile=" + FILE) : List.of();
	}

	private static void make() {
		try (FileChannel file = FileChannel.open(Path.of(FILE + ".lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock lock = file.tryLock()) {
			// Otherwise another process makes it, or has made it.
			if (lock != null && !Files.exists(FILE)) {
				String list = FILE + ".list";
				String fresh = FILE + ".new";
				run("-XX:DumpLoadedClassList=" + list, "-cp", CLASS_PATH, ClassArchive.class.getName());
				run(ClientClock.bootClassPath(), "-Xshare:dump", "-XX:SharedClassListFile=" + list,
						"-XX:SharedArchiveFile=" + fresh, "-cp", JARS);
				Files.move(Path.of(fresh), FILE, StandardCopyOption.ATOMIC_MOVE);
			}
		}
		catch (IOException | InterruptedException ex) {
			System.out.println("Processes start without an archive of classes: " + ex);
		}
	}

	private static void run(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(OtherProcess.java());
		command.addAll(List.of(arguments));
		int status = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start()
			.waitFor();
		if (status != 0) {
			throw new IOException(command + " has ended with status " + status);
		}
	}

	private static Stream<String> entries(boolean jars) {
		String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Stream.of(path.split(File.pathSeparator)).filter((entry) -> Files.isRegularFile(Path.of(entry)) == jars);
	}

	private static String join(String first, String second) {
		return first + File.pathSeparator + second;
	}

	private static String ages() {
		return entries(true).map((jar) -> Long.toString(new File(jar).lastModified())).reduce("", String::concat);
	}

	/** Loads the classes that processes load, without a server. */
	public static void main(String[] args) {
		try {
			OtherProcess.registry("127.0.0.1", "1").acquire(LockRequest.of("archive").waitFor(Duration.ofSeconds(5)));
		}
		catch (LockException ex) {
			System.exit(0);
		}
	}

}
