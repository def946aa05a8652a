package io.distributedlock;

/**
 * An owner of leases that enters locks of other owners as well, such as a task inside
 * another one. An owner that does not implement this is compared with {@code equals}.
 *
 * @since 0.1.0
 * @see LockRequest#ownedBy(Object)
 */
public interface LockOwner {

	/**
	 * Return whether a request of this owner enters a lock that another owner holds. Only
	 * the requesting owner is asked, never the holder. Every owner enters its own locks
	 * without being asked.
	 * @param holder the owner of the lock that is held
	 * @return {@code true} to enter. The answer may turn from no to yes, after which
	 * {@link TemplateLease#ownersChanged()} must be called. Asked under a lock of the
	 * engine, so this must neither block nor throw
	 */
	boolean enters(Object holder);

}
