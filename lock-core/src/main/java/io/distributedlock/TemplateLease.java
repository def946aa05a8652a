package io.distributedlock;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A lease of this library's registries, with methods for templates that guarded bodies do
 * not call. A decorator of such leases implements this interface as well and delegates to
 * them: a lease of any other type is neither detached nor discarded.
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
	 * Announce that more owners {@linkplain LockOwner#enters enter} the lock of this
	 * lease's owner than before. Requests of such owners that wait in this instance enter
	 * it as if they were made anew.
	 */
	void ownersChanged();

	/**
	 * {@linkplain #checkCommit() Check} this lease before a commit, in one command with
	 * others of its registry.
	 * @param others the other leases of the transaction
	 * @return those of them that were not checked; by default all
	 */
	default List<Lease> checkCommit(List<Lease> others) {
		checkCommit();
		return others;
	}

	/**
	 * End the lease as if it had never been acquired, because nothing has run under it. A
	 * loss is not reported, and the lock is not {@linkplain LockRequest#keepFor kept},
	 * unless something has run under another lease of the same acquisition. Does not
	 * block, and does nothing to a closed lease.
	 * @return completes when the store has answered or has not in time
	 */
	CompletionStage<Void> discard();

	/**
	 * Mark a request as that of a template, which closes its lease in any case. That
	 * lease is therefore not watched for leaks.
	 * @param request the request
	 * @param owner the owner of the lease, {@code null} if that is not known yet
	 * @return a new request
	 */
	static LockRequest request(LockRequest request, @Nullable Object owner) {
		return request.ofTemplate(owner);
	}

	/**
	 * Return whether a request is that of a template, or a copy of one.
	 * @param request the request
	 * @return {@code true} if its lease is closed in any case
	 */
	static boolean isRequested(LockRequest request) {
		return request.isOfTemplate();
	}

	/**
	 * Refuse a {@code null} result of a registry, as a mock returns it.
	 * @param returned the lease, or its stage
	 * @param request the request
	 * @param <T> the type of the result
	 * @return the same
	 * @throws IllegalStateException if the result is {@code null}, with the remedy
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
