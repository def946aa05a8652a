package io.distributedlock.sample.page;

import java.io.IOException;
import java.time.Duration;

import io.distributedlock.sample.sale.FlashSaleProperties;
import io.distributedlock.sample.sale.Locks;
import io.distributedlock.sample.sale.SaleRunningException;
import io.distributedlock.sample.sale.Sales;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** HTTP requests of the page. */
@RestController
@RequestMapping("/sale")
@Profile("!instance")
class PageController {

	private final SaleStream stream;

	private final Sales sales;

	private final Faults faults;

	private final FlashSaleProperties defaults;

	PageController(SaleStream stream, Sales sales, Faults faults, FlashSaleProperties defaults) {
		this.stream = stream;
		this.sales = sales;
		this.faults = faults;
		this.defaults = defaults;
	}

	@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter events() throws IOException {
		return this.stream.open();
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	void start(@Valid @RequestBody Start start) {
		this.sales.start(new FlashSaleProperties(false, start.instances(), this.defaults.threads(), start.buyers(),
				start.stock(), this.defaults.item(), start.locks(), Duration.ofMillis(start.paceMillis()),
				this.defaults.patience(), this.defaults.timeout()), start.compare());
	}

	@PostMapping("/faults")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void fault(@Valid @RequestBody Disturbance disturbance) {
		this.faults.start(disturbance.fault(), disturbance.instance());
	}

	@ExceptionHandler({ SaleRunningException.class, FaultRefusedException.class })
	ProblemDetail refused(RuntimeException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	/** A sale to start. */
	record Start(@Min(1) @Max(100_000) int buyers, @Min(0) @Max(100_000) int stock, @Min(1) @Max(6) int instances,
			@Min(0) @Max(1000) int paceMillis, boolean compare, @NotNull Locks locks) {

	}

	/** A fault to cause in an instance. */
	record Disturbance(@NotNull Fault fault, @Min(1) int instance) {

	}

}
