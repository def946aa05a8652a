package io.distributedlock.sample.shop;

import java.math.BigDecimal;
import java.net.URI;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

import org.springframework.context.annotation.Profile;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Purchases over REST. */
@RestController
@RequestMapping("/purchases")
@Profile("!instance")
class PurchaseController {

	private final PurchaseService purchases;

	private final PurchaseOrderRepository orders;

	PurchaseController(PurchaseService purchases, PurchaseOrderRepository orders) {
		this.purchases = purchases;
		this.orders = orders;
	}

	@PostMapping
	ResponseEntity<OrderView> purchase(@Valid @RequestBody Purchase purchase) {
		OrderView order = OrderView.of(this.purchases.purchase(purchase.item(), purchase.buyer()));
		return ResponseEntity.created(URI.create("/purchases/" + order.number())).body(order);
	}

	@GetMapping("/{number}")
	OrderView get(@PathVariable long number) {
		return this.orders.findById(number)
			.map(OrderView::of)
			.orElseThrow(() -> new UnknownException("There is no order " + number));
	}

	/** A buyer and the item to buy. */
	record Purchase(@NotBlank @Size(max = 100) String item, @NotBlank @Size(max = 100) String buyer) {

	}

	/**
	 * An order; its number is a string, since it has more digits than numbers of
	 * JavaScript.
	 */
	record OrderView(String number, String item, String buyer, BigDecimal price) {

		static OrderView of(PurchaseOrder order) {
			return new OrderView(String.valueOf(order.getNumber()), order.getItem(), order.getBuyer(),
					order.getPrice());
		}

	}

}
