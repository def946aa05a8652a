package io.distributedlock.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.sample.SampleApplication;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.TakesScreenshot;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.support.ui.WebDriverWait;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes the screenshots of the documents. Not one of the tests of the build: the script
 * {@code sample-app/screenshots.sh} runs it.
 */
class PageScreenshots {

	private static final Duration LONGEST = Duration.ofMinutes(4);

	private static final Path DIRECTORY = Path.of("..", "docs", "sample");

	private String url = "";

	@Test
	void take() throws IOException {
		Browser browser = Browser.find().orElseThrow(() -> new IllegalStateException(Browser.missing()));
		Files.createDirectories(DIRECTORY);
		try (ConfigurableApplicationContext shop = SpringApplication.run(SampleApplication.class,
				"--flash-sale.run=false", "--server.port=0")) {
			this.url = "http://127.0.0.1:" + shop.getEnvironment().getRequiredProperty("local.server.port") + "/";
			sale(browser);
			fault(browser);
		}
		assertThat(DIRECTORY.resolve("page.png")).isNotEmptyFile();
		assertThat(DIRECTORY.resolve("page.gif")).isNotEmptyFile();
		assertThat(DIRECTORY.resolve("fault.png")).isNotEmptyFile();
	}

	/**
	 * Both sides while the sale goes on, as a picture that moves and as one that does
	 * not.
	 */
	private void sale(Browser browser) throws IOException {
		ChromeDriver page = browser.open(1240, 1150, false);
		try {
			open(page);
			AnimatedImage moving = new AnimatedImage();
			moving.add(page.getScreenshotAs(OutputType.BYTES));
			page.findElement(By.cssSelector("#start button")).click();
			boolean still = true;
			while (!is(page, "document.querySelector('#with [data-field=left]').textContent === '0'")) {
				moving.add(page.getScreenshotAs(OutputType.BYTES));
				if (still && is(page,
						"document.querySelector('#with [data-field=left]').textContent.match(/^1\\d\\d$/)")) {
					write(page, "page.png");
					still = false;
				}
			}
			moving.add(page.getScreenshotAs(OutputType.BYTES));
			moving.write(DIRECTORY.resolve("page.gif"), 60, 300);
		}
		finally {
			page.quit();
		}
	}

	/** An instance that was frozen, told to the end, in the dark. */
	private void fault(Browser browser) throws IOException {
		ChromeDriver page = browser.open(1240, 1640, true);
		try {
			open(page);
			await(page, "document.querySelector('#start button').ariaDisabled === 'false'");
			page.executeScript("document.querySelector('[name=compare]').value = 'false'");
			page.findElement(By.cssSelector("#start button")).click();
			await(page, "document.querySelector('[data-fault=FREEZE]').ariaDisabled === 'false'");
			page.findElement(By.cssSelector("[data-fault=FREEZE]")).click();
			await(page, "document.querySelector('#story-steps .end') !== null");
			write(page.findElement(By.tagName("main")), "fault.png");
		}
		finally {
			page.quit();
		}
	}

	private void open(ChromeDriver page) {
		page.get(this.url);
		await(page, "document.getElementById('connection').textContent === 'live'");
	}

	private static void await(ChromeDriver page, String condition) {
		new WebDriverWait(page, LONGEST, Duration.ofMillis(50))
			.until((driver) -> page.executeScript("return " + condition));
	}

	private static boolean is(ChromeDriver page, String condition) {
		return Boolean.TRUE.equals(page.executeScript("return Boolean(" + condition + ")"));
	}

	private static void write(TakesScreenshot shown, String name) throws IOException {
		Files.write(DIRECTORY.resolve(name), shown.getScreenshotAs(OutputType.BYTES));
	}

}
