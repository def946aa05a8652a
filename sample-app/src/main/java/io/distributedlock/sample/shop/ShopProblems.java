package io.distributedlock.sample.shop;

import java.net.URI;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.sample.id.IdsUnavailableException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Turns failures into {@code application/problem+json}. Busy is not unavailable: after a
 * busy lock a client may try again after one second, after a 503 only after five.
 */
@RestControllerAdvice
class ShopProblems {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
		ProblemDetail problem = problem(HttpStatus.CONFLICT, "lock-busy", "The lock is busy", ex);
		problem.setProperty("key", ex.getKey());
		problem.setProperty("waitedMillis", ex.getWaited().toMillis());
		return retryable(problem, 1);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockStoreException ex) {
		return retryable(problem(HttpStatus.SERVICE_UNAVAILABLE, "lock-store-unavailable", "Locks cannot be had", ex),
				5);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(IdsUnavailableException ex) {
		return retryable(problem(HttpStatus.SERVICE_UNAVAILABLE, "order-numbers-unavailable", "No order numbers", ex),
				5);
	}

	@ExceptionHandler
	ProblemDetail lost(LockLostException ex) {
		ProblemDetail problem = problem(HttpStatus.INTERNAL_SERVER_ERROR, "lock-lost", "The lock was lost", ex);
		problem.setProperty("key", ex.getKey());
		problem.setProperty("bodyCompleted", ex.isBodyCompleted());
		return problem;
	}

	@ExceptionHandler
	ProblemDetail lost(ClosureLostException ex) {
		ProblemDetail problem = problem(HttpStatus.CONFLICT, "lock-lost", "The lock was lost", ex);
		problem.setProperty("key", ex.getKey());
		return problem;
	}

	@ExceptionHandler
	ProblemDetail stale(StaleWriteException ex) {
		return problem(HttpStatus.CONFLICT, "stale-write", "A later holder has written", ex);
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return problem(HttpStatus.GONE, "sold-out", "Sold out", ex);
	}

	@ExceptionHandler
	ProblemDetail unknown(UnknownException ex) {
		return problem(HttpStatus.NOT_FOUND, "unknown", "Not found", ex);
	}

	private static ResponseEntity<ProblemDetail> retryable(ProblemDetail problem, int seconds) {
		return ResponseEntity.status(problem.getStatus())
			.header(HttpHeaders.RETRY_AFTER, String.valueOf(seconds))
			.body(problem);
	}

	private static ProblemDetail problem(HttpStatus status, String type, String title, Exception ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setType(URI.create("/problems/" + type));
		problem.setTitle(title);
		return problem;
	}

}
