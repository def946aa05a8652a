package io.distributedlock.ownaspect;

import io.distributedlock.LockRegistry;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests of which the lock decides the answer. */
@RestController
class PaymentController {

	private final ObjectProvider<LockRegistry> registry;

	PaymentController(ObjectProvider<LockRegistry> registry) {
		this.registry = registry;
	}

	@PostMapping("/payments")
	@DistributedLock(name = "payments", key = "'1'", waitFor = "0")
	public String pay() {
		return "paid";
	}

	@PostMapping("/waiting-payments")
	@DistributedLock(name = "payments", key = "'1'")
	public String payAfterAWait() {
		return "paid";
	}

	@PostMapping("/ping")
	public String ping() {
		return this.registry.getObject().toString();
	}

}
