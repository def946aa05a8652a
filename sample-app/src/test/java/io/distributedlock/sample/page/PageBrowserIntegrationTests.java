package io.distributedlock.sample.page;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.sample.SampleApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser, worked with the keyboard. Where there is no browser, this
 * class says so, and {@link PageIntegrationTests} alone shows the answers to the page.
 */
class PageBrowserIntegrationTests {

	private static final Duration LONGEST = Duration.ofMinutes(4);

	private static Optional<Browser> browser = Optional.empty();

	private static ConfigurableApplicationContext shop;

	private static ChromeDriver page;

	@BeforeAll
	static void start() throws Exception {
		browser = Browser.find();
		if (browser.isEmpty()) {
			System.out.println("[WARNING] The page was not tested in a browser. " + Browser.missing());
			return;
		}
		shop = SpringApplication.run(SampleApplication.class, "--flash-sale.run=false", "--server.port=0",
				"--flash-sale.threads=8");
		page = browser.get().open(390, 844, false);
		page.get("http://127.0.0.1:" + shop.getEnvironment().getRequiredProperty("local.server.port") + "/");
		await("document.getElementById('connection').textContent === 'live'");
	}

	@AfterAll
	static void stop() {
		if (browser.isPresent()) {
			page.quit();
			shop.close();
		}
	}

	/** A sale and a fault by keyboard alone, on the screen of a phone. */
	@Test
	void saleWhenStartedByKeyboardIsShownWithItsFault() {
		if (browser.isEmpty()) {
			return;
		}
		type("buyers", "300");
		type("stock", "120");
		tabTo("Speed").sendKeys("slower");
		tabTo("Run").sendKeys("with the");
		tabTo("Start the sale").sendKeys(Keys.ENTER);
		await("/^starting, \\d+ s$/.test(document.querySelector('#with [data-field=state]').textContent)");
		await("document.querySelector('#with [data-field=state]').textContent === 'selling'");
		await("document.querySelector('[data-fault=FREEZE]').ariaDisabled === 'false'");
		assertThat(focused()).isEqualTo("Start the sale");
		tabTo("Freeze it").sendKeys(Keys.SPACE);
		await("document.querySelector('#story-steps .refused') !== null");
		assertThat(text("#story-title")).isEqualTo("Instance 1: Frozen while it held the lock");
		await("document.querySelector('#with [data-field=state]').textContent === 'done'");
		assertThat(focused()).isEqualTo("Freeze it");
		assertThat(text("#with .verdict")).isEqualTo("Every ticket was sold exactly once");
		assertThat(text("#with [data-field=oversold]")).isEqualTo("0");
		assertThat(text("#with [data-field=lost]")).isNotEqualTo("0");
		assertThat(text("#summary")).startsWith("Oversold with the lock: 0");
		assertThat(errors()).isEmpty();
	}

	/** The page has no fence to show then, and no fault of Redis to cause. */
	@Test
	void saleWhenTheDatabaseHasTheLocksIsShownWithItsRefusal() {
		if (browser.isEmpty()) {
			return;
		}
		await("document.querySelector('#start button').ariaDisabled === 'false'");
		type("buyers", "200");
		type("stock", "80");
		tabTo("Speed").sendKeys("slower");
		tabTo("Run").sendKeys("with the");
		tabTo("Locks").sendKeys("in the database");
		tabTo("Start the sale").sendKeys(Keys.ENTER);
		await("document.querySelector('[data-fault=FREEZE]').ariaDisabled === 'false'");
		assertThat(text("#with [data-field=rule]")).endsWith("only its owner can commit");
		assertThat(page.findElement(By.cssSelector("#with .fence")).isDisplayed()).isFalse();
		assertThat(page.findElement(By.cssSelector("[data-fault=CUT]")).getDomAttribute("aria-disabled"))
			.isEqualTo("true");
		tabTo("Freeze it").sendKeys(Keys.SPACE);
		// The story of an earlier sale may still be there.
		await("document.querySelector('#story-steps .refused')?.textContent.includes('rolled back. No token was compared')");
		await("document.querySelector('#with [data-field=state]').textContent === 'done'");
		assertThat(text("#with .verdict")).isEqualTo("Every ticket was sold exactly once");
		new Select(page.findElement(By.name("locks"))).selectByValue("IN_REDIS");
		assertThat(errors()).isEmpty();
	}

	@Test
	void databaseWhenThereIsNoneForThisMachineCannotBeChosen() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(module("controls.js", """
				const form = document.getElementById("start").cloneNode(true);
				module.Controls.prototype.showPlaces.call({ form }, false);
				const database = form.elements.locks.querySelector("[value=IN_DATABASE]");
				return database.textContent + ", " + database.disabled;"""))
			.isEqualTo("in the database: no PostgreSQL for this machine, true");
	}

	/** Its bar had gone on beside those of the next holders. */
	@Test
	void holdWhenHolderWasKilledEndsAsLostWhereTheNextOneBegins() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(module("timeline.js", """
				const timeline = new module.Timeline(document.createElement("canvas"), true);
				const instances = [{ number: 1, state: "killed" }, { number: 2, state: "frozen" }];
				timeline.show({ state: "selling", instances }, {});
				timeline.end = 9;
				const bar = (instance) => timeline.bar({ instance, from: 1, source: "OTHER_INSTANCE" }, { from: 5 });
				return [1, 2].map(bar).map(({ until, colour }) => until + " " + colour);"""))
			.isEqualTo(List.of("5 lost", "9 other"));
	}

	@Test
	void instanceWhenKilledIsNotIdle() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(module("instances.js", """
				const list = document.createElement("ol");
				const killed = { number: 1, state: "killed", shopping: 2, sold: 3, soldOut: 0, failed: 0 };
				const holds = { heldBy: () => undefined };
				new module.InstanceList(list, true).show({ state: "selling", instances: [killed] }, holds);
				return [".head b", ".counter", ".waits"].map((part) => list.querySelector(part).textContent);"""))
			.isEqualTo(List.of("Instance 1 – killed, its buyers are gone", "killed", ""));
	}

	@Test
	void partWhenReadOutHasNameAndRole() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(page.findElements(By.cssSelector("input, select, button, canvas, section, form, a")))
			.allSatisfy((element) -> assertThat(element.getAccessibleName()).as(element.getDomProperty("outerHTML"))
				.isNotBlank());
		assertThat(page.findElement(By.cssSelector("#without canvas")).getAriaRole()).isIn("image", "img");
		assertThat(page.findElement(By.id("summary")).getAriaRole()).isEqualTo("status");
		assertThat(page.findElement(By.id("story-steps")).getDomAttribute("aria-live")).isEqualTo("polite");
		assertThat(page.findElement(By.id("start")).getAccessibleName()).isEqualTo("Start a sale");
	}

	@Test
	void pageWhenOnAPhoneDoesNotScrollSideways() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(page.executeScript("return document.documentElement.scrollWidth <= innerWidth")).isEqualTo(true);
	}

	@Test
	void pageWhenLoadedAsksNoOtherHost() {
		if (browser.isEmpty()) {
			return;
		}
		assertThat(page.executeScript("return performance.getEntriesByType('resource')"
				+ ".filter(({ name }) => !name.startsWith(location.origin)).map(({ name }) => name)"))
			.isEqualTo(List.of());
	}

	private static void type(String field, String text) {
		WebElement input = page.findElement(By.name(field));
		input.sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
	}

	private static String focused() {
		return page.switchTo().activeElement().getAccessibleName();
	}

	/** Press the tabulator until the button has the focus. */
	private static WebElement tabTo(String name) {
		for (int presses = 0; presses < 30; presses++) {
			WebElement focused = page.switchTo().activeElement();
			if (focused.getAccessibleName().equals(name)) {
				return focused;
			}
			focused.sendKeys(Keys.TAB);
		}
		throw new AssertionError("No way to '" + name + "' by keyboard");
	}

	/** Return the result of a script that uses a module of the page. */
	private static Object module(String file, String script) {
		return page.executeAsyncScript("const done = arguments[0];"
				+ "import(new URL('js/%s', location.href).href).then((module) => done((() => {%s})()))".formatted(file,
						script));
	}

	private static String text(String selector) {
		return page.findElement(By.cssSelector(selector)).getText();
	}

	private static List<LogEntry> errors() {
		return page.manage().logs().get(LogType.BROWSER).getAll();
	}

	private static void await(String condition) {
		new WebDriverWait(page, LONGEST, Duration.ofMillis(100))
			.until((driver) -> page.executeScript("return " + condition));
	}

}
