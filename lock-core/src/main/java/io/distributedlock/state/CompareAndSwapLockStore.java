package io.distributedlock.state;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A store on any back end that can read the text under a key, and replace it if it is
 * unchanged: all modes, but no sets of keys. If another command has changed the text
 * first, a command reads the new text and runs again, at once, until its future is
 * cancelled: the engine does so at the {@linkplain #commandTimeout() time-out}. A read or
 * replacement that fails is not repeated: its command fails, and the engine decides.
 * Thread-safe, if the back end is.
 * <p>
 * Commands continue on the threads that complete the futures of {@link #read} and
 * {@link #replace}. If a blocked caller can keep these from running, as on an event loop,
 * override {@link #isAnsweredBy(Thread)}.
 * <table>
 * <caption>The clock that decides</caption>
 * <tr>
 * <th>back end</th>
 * <th>its clock</th>
 * <th>limits</th>
 * </tr>
 * <tr>
 * <td>a database</td>
 * <td>the server's, by the statement that reads the text</td>
 * <td>after a fail-over that of the new server: if it is ahead of the old one by more
 * than the fail-over took, it takes a lock that much before its lease ends</td>
 * </tr>
 * <tr>
 * <td>a cluster whose members run code, such as a data grid</td>
 * <td>that of the member that has the key, by the code that reads the text</td>
 * <td>the same, when a key moves to another member</td>
 * </tr>
 * <tr>
 * <td>one without a clock, such as etcd</td>
 * <td>the wall clock of each instance, when the text has been read</td>
 * <td>an instance whose clock is ahead takes a lock that much before its lease ends. Keep
 * the clocks together (NTP), leases much longer than they differ, and compare
 * {@linkplain AcquireOutcome.Granted#token() tokens} at the resource where two holders do
 * harm</td>
 * </tr>
 * </table>
 * A clock needs whole milliseconds, and the time since 1970 that restarts do not set
 * back. If it goes back, a lease may last longer by that, but never longer than its full
 * length from then on.
 *
 * @since 0.1.0
 */
public abstract class CompareAndSwapLockStore extends StateLockStore {

	/**
	 * Create a store.
	 * @param retention time to keep tokens and tombstones after a lease, from a second to
	 * 365 days; 60 seconds are usual. Longer than a copy of a command can be on its way,
	 * as {@link io.distributedlock.store.LockStore#acquire} explains
	 * @throws InvalidSettingException if the retention is shorter or longer
	 */
	protected CompareAndSwapLockStore(Duration retention) {
		super(retention);
	}

	/**
	 * Replace the text of a lock, if it is unchanged. Must not block.
	 * @param key the lock; its {@linkplain LockKey#encoded() encoding} is unique and has
	 * at most {@value LockKey#MAX_BYTES} bytes
	 * @param expected the text that was read, or {@code null} if there was none
	 * @param text the new text, ASCII. It has about 200 characters, and up to 100 more
	 * for each waiter and for each contender that had the lock within the retention. It
	 * has no longest length: a back end that cannot keep it fails with a
	 * {@link LockStoreException} of kind {@code MISCONFIGURED}
	 * @param lifetime the time to keep it from now on, longer than any lease in it; the
	 * back end may drop it after that, but not before. Round it up where a back end
	 * counts in seconds
	 * @return {@code true} if it was replaced, {@code false} only if another text was
	 * there, or a {@link LockStoreException} of kind {@code UNAVAILABLE} if that is not
	 * known: the engine repeats the command, which finds its own text or the old one
	 */
	protected abstract CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime);

	@Override
	protected final CompletableFuture<Swap> replace(Replacement replacement) {
		Row row = replacement.row();
		return replace(replacement.key(), replacement.expected().text(), row.text(), row.lifetime())
			.thenCompose((replaced) -> replaced
					? CompletableFuture
						.completedFuture(Swap.done(new Stored(row.text(), replacement.expected().micros())))
					: read(replacement.key()).thenApply(Swap::refused));
	}

}
