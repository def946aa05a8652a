package io.distributedlock.aspectj;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Objects;

import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

/**
 * The position of the lock among several advices around one join point. AspectJ counts
 * the position of each thread from the advice that was entered last, which is wrong as
 * soon as an advice proceeds for the third time, or later on another thread: then it
 * leaves out the advices inside that one, maybe the lock. There is no public way to
 * correct it. Where the fields cannot be reached, the position stays as AspectJ has it.
 */
final class AdvicePosition {

	private static final AdvicePosition ONLY = new AdvicePosition(null, 0);

	private static final @Nullable Field ADVICES = field("arcs");

	private static final @Nullable Field POSITION = field("arcIndex");

	private final @Nullable ThreadLocal<Integer> current;

	private final int own;

	private AdvicePosition(@Nullable ThreadLocal<Integer> current, int own) {
		this.current = current;
		this.own = own;
	}

	private static @Nullable Field field(String name) {
		try {
			Field field = Class.forName("org.aspectj.runtime.reflect.JoinPointImpl").getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	/** The position of the running advice, on its thread. */
	static AdvicePosition of(ProceedingJoinPoint joinPoint) {
		if (ADVICES == null || POSITION == null || !ADVICES.getDeclaringClass().isInstance(joinPoint)) {
			return ONLY;
		}
		try {
			return (ADVICES.get(joinPoint) instanceof List<?> advices
					&& POSITION.get(joinPoint) instanceof ThreadLocal<?> position) ? of(advices, position) : ONLY;
		}
		catch (IllegalAccessException ex) {
			return ONLY;
		}
	}

	/**
	 * Each attempt of an outer advice enters the same inner advice again. The first
	 * position of its class is the one that the outer advice sees.
	 */
	@SuppressWarnings("unchecked")
	private static AdvicePosition of(List<?> advices, ThreadLocal<?> position) {
		Class<?> own = advices.get((Integer) Objects.requireNonNull(position.get())).getClass();
		int first = 0;
		while (advices.get(first).getClass() != own) {
			first++;
		}
		return new AdvicePosition((ThreadLocal<Integer>) position, first);
	}

	/** Move this thread inside the lock, as seen by AspectJ. Returns where it was. */
	int take() {
		if (this.current == null) {
			return this.own;
		}
		int before = this.current.get();
		this.current.set(this.own);
		return before;
	}

	void giveBack(int before) {
		if (this.current != null) {
			this.current.set(before);
		}
	}

}
