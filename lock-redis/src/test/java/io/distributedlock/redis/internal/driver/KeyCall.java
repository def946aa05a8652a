package io.distributedlock.redis.internal.driver;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A call whose answer should be its key; several go as one whose answer is a list.
 */
final class KeyCall extends CompletableFuture<Object> implements ScriptCall {

	private static final Script SCRIPT = new Script("return KEYS[1]".getBytes(StandardCharsets.UTF_8));

	private final List<KeyCall> parts;

	private final String key;

	private final @Nullable Gathering gathering;

	KeyCall(String key) {
		this(key, List.of(), KeyCall::together);
	}

	private KeyCall(String key, List<KeyCall> parts, @Nullable Gathering gathering) {
		this.key = key;
		this.parts = parts;
		this.gathering = gathering;
	}

	static KeyCall thatGoesAlone(String key) {
		return new KeyCall(key, List.of(), null);
	}

	/** With others there is not enough memory. */
	static KeyCall thatFailsTogether(String key) {
		return new KeyCall(key, List.of(), (calls) -> {
			throw new OutOfMemoryError("made up");
		});
	}

	private static KeyCall together(List<ScriptCall> calls) {
		return new KeyCall("", calls.stream().map((call) -> (KeyCall) call).toList(), null);
	}

	/** Return the answer that a server would give. */
	static Object answer(byte[][] keys) {
		List<String> names = Stream.of(keys).map((key) -> new String(key, StandardCharsets.UTF_8)).toList();
		return (names.size() == 1) ? names.get(0) : names;
	}

	String key() {
		return this.key;
	}

	@Override
	public @Nullable Gathering gathering() {
		return this.gathering;
	}

	@Override
	public Script script() {
		return SCRIPT;
	}

	@Override
	public byte[][] keys() {
		return (this.parts.isEmpty() ? Stream.of(this) : this.parts.stream())
			.map((each) -> each.key.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	@Override
	public byte[][] args() {
		return new byte[0][];
	}

	@Override
	public void begin(Command command) {
	}

	/** A second answer would be an error of the code that gives it. */
	@Override
	public void answered(Object answer) {
		for (int i = 0; i < this.parts.size(); i++) {
			this.parts.get(i).answered(((List<?>) answer).get(i));
		}
		if (!complete(answer) && !isCancelled()) {
			throw new IllegalStateException("Answered twice: " + this.key);
		}
	}

	@Override
	public void failed(Throwable failure) {
		this.parts.forEach((part) -> part.failed(failure));
		completeExceptionally(failure);
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		this.parts.forEach((part) -> part.cancel(mayInterruptIfRunning));
		return super.cancel(mayInterruptIfRunning);
	}

}
