package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.validation.annotation.Validated;

/** A service whose arguments are validated, and whose callers need a role. */
@Validated
class Payments {

	@DistributedLock(name = "payments", key = "#id", waitFor = "0")
	public String pay(@NotBlank @Size(max = 3) String id) {
		return "paid " + id;
	}

	@PreAuthorize("hasRole('CASHIER')")
	@DistributedLock(name = "payments", key = "#id", waitFor = "0")
	public String refund(String id) {
		return "refunded " + id;
	}

}
