package io.distributedlock.sample.shop;

import java.math.BigDecimal;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;

import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Stock over REST. */
@RestController
@RequestMapping("/stock/{item}")
@Profile("!instance")
class StockController {

	private final StockService stock;

	private final DeliveryService deliveries;

	private final PriceService prices;

	private final ClosureService closures;

	StockController(StockService stock, DeliveryService deliveries, PriceService prices, ClosureService closures) {
		this.stock = stock;
		this.deliveries = deliveries;
		this.prices = prices;
		this.closures = closures;
	}

	@GetMapping
	StockView get(@PathVariable String item) {
		return StockView.of(this.stock.get(item));
	}

	@PostMapping("/deliveries")
	StockView deliver(@PathVariable String item, @Valid @RequestBody Delivery delivery) throws InterruptedException {
		return StockView.of(this.deliveries.receive(item, delivery.quantity()));
	}

	@PutMapping("/price")
	StockView changePrice(@PathVariable String item, @Valid @RequestBody PriceChange change) {
		return StockView.of(this.prices.change(item, change.price()));
	}

	@PutMapping("/closure")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void close(@PathVariable String item) {
		this.stock.get(item);
		this.closures.close(item);
	}

	@DeleteMapping("/closure")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void open(@PathVariable String item) {
		this.closures.open(item);
	}

	/** More pieces of an item. */
	record Delivery(@Positive @Max(1_000_000) int quantity) {

	}

	/** Another price of an item. */
	record PriceChange(@NotNull @Positive BigDecimal price) {

	}

	/** The stock of an item; the fence is the token of the last writer. */
	record StockView(String item, int quantity, BigDecimal price, long fence) {

		static StockView of(Stock stock) {
			return new StockView(stock.getItem(), stock.getQuantity(), stock.getPrice(), stock.getFence());
		}

	}

}
