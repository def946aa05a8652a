package io.distributedlock;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A lease of this library's registries, with what templates do and guarded bodies do not.
 * A decorator of such leases implements this interface as well and delegates to them: the
 * lease of a type that does not is neither detached nor discarded.
 *
 * @since 0.1.0
 */
public interface TemplateLease extends Lease {

	/**
	 * End the ownership: the lease is kept until it is closed, the owner that acquired it
	 * cannot enter it again, and a thread that owned it may end.
	 */
	void detach();

	/**
	 * Tell that more owners {@linkplain LockOwner#enters enter} the lock of this lease's
	 * owner than before. Requests of such owners that wait in this instance enter it as
	 * if they were made anew.
	 */
	void ownersChanged();

	/**
	 * Give the lease back as if it had never been acquired, because nothing has run under
	 * it: the lock is not {@linkplain LockRequest#keepFor kept}, unless something has run
	 * under another lease of the same acquisition, and a loss is not reported. Does not
	 * block, and does nothing to a closed lease.
	 * @return completes when the store has answered or has not in time
	 */
	CompletionStage<Void> discard();

	/**
	 * The request of a template, which closes its lease in any case. So the lease is not
	 * watched for that.
	 * @param request what to lock and how
	 * @param owner the owner of the lease, {@code null} if that is not known yet
	 * @return a new request
	 */
	static LockRequest request(LockRequest request, @Nullable Object owner) {
		return request.ofTemplate(owner);
	}

	/**
	 * Whether a template has made a request, or what it was changed from.
	 * @param request the request
	 * @return whether its lease is closed in any case
	 */
	static boolean isRequested(LockRequest request) {
		return request.isOfTemplate();
	}

	/**
	 * Refuse what a registry has returned if it is nothing: a mock returns that.
	 * @param returned the lease, or its stage
	 * @param request what was asked for
	 * @param <T> the type of what was returned
	 * @return the same
	 * @throws IllegalStateException if there is nothing, with the remedy
	 */
	static <T> T required(@Nullable T returned, LockRequest request) {
		if (returned == null) {
			throw new IllegalStateException(
					"The registry returned no lease for %s, as a mock does. In a test, keep the locks in memory by @AutoConfigureTestLocks of lock-test-support, or let the mock return a lease"
						.formatted(request));
		}
		return returned;
	}

}
