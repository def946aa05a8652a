package io.distributedlock.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * A Chromium without a window. Both programs are those of this machine: nothing is
 * downloaded.
 */
final class Browser {

	/** Property that names the executable of a Chromium or Chrome. */
	static final String BINARY_PROPERTY = "browser.binary";

	/** Property that names the executable of its ChromeDriver. */
	static final String DRIVER_PROPERTY = "browser.driver";

	/** Property with which a missing browser is a failure. */
	static final String REQUIRED_PROPERTY = "browser.required";

	/** Environment variable that does the same. */
	static final String REQUIRED_VARIABLE = "BROWSER_REQUIRED";

	private static final List<String> BINARIES = List.of("chromium", "chromium-browser", "google-chrome",
			"google-chrome-stable");

	private static final List<String> ARGUMENTS = List.of("--headless=new", "--no-sandbox", "--disable-gpu",
			"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--hide-scrollbars");

	private final Path binary;

	private final Path driver;

	private Browser(Path binary, Path driver) {
		this.binary = binary;
		this.driver = driver;
	}

	/** The browser of the properties, or the one on the path. */
	static Optional<Browser> find() {
		Optional<Path> binary = executable(BINARY_PROPERTY, BINARIES);
		Optional<Path> driver = executable(DRIVER_PROPERTY, List.of("chromedriver"));
		if (binary.isPresent() && driver.isPresent()) {
			return Optional.of(new Browser(binary.get(), driver.get()));
		}
		if (Boolean.getBoolean(REQUIRED_PROPERTY) || "true".equals(System.getenv(REQUIRED_VARIABLE))) {
			throw new IllegalStateException(missing());
		}
		return Optional.empty();
	}

	/** The message that says how to get a browser. */
	static String missing() {
		return "There is no chromium or google-chrome with a chromedriver on the PATH. "
				+ "Install them (Debian: apt-get install chromium chromium-driver), or name them with -D"
				+ BINARY_PROPERTY + "=… and -D" + DRIVER_PROPERTY + "=…";
	}

	ChromeDriver open(int width, int height, boolean dark) throws IOException {
		Path profile = Files.createTempDirectory("browser-profile-");
		ChromeOptions options = new ChromeOptions();
		options.setBinary(this.binary.toFile());
		options.addArguments(ARGUMENTS);
		options.addArguments("--user-data-dir=" + profile, "--window-size=" + width + "," + height);
		if (dark) {
			options.addArguments("--force-dark-mode", "--blink-settings=preferredColorScheme=0");
		}
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(this.driver.toFile())
			.usingAnyFreePort()
			.withSilent(true)
			.build();
		return new ChromeDriver(service, options);
	}

	private static Optional<Path> executable(String property, List<String> names) {
		String configured = System.getProperty(property, "");
		if (!configured.isEmpty()) {
			return Optional.of(Path.of(configured));
		}
		return names.stream().flatMap(Browser::onPath).findFirst();
	}

	private static Stream<Path> onPath(String name) {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable);
	}

}
