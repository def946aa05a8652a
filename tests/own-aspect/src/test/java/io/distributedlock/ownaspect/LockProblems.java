package io.distributedlock.ownaspect;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The recipe of the page. */
@RestControllerAdvice
class LockProblems {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
		return problem(HttpStatus.CONFLICT, "Another request works on this. Try again");
	}

	@ExceptionHandler({ LockStoreException.class, LockRegistryClosedException.class })
	ResponseEntity<ProblemDetail> unavailable() {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks cannot be had at the moment. Try again");
	}

	private static ResponseEntity<ProblemDetail> problem(HttpStatus status, String detail) {
		return ResponseEntity.status(status)
			.header(HttpHeaders.RETRY_AFTER, "1")
			.body(ProblemDetail.forStatusAndDetail(status, detail));
	}

}
