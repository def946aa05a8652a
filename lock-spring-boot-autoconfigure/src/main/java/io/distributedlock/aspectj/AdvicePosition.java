package io.distributedlock.aspectj;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Objects;

import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

/**
 * Where the lock is among several advices around one join point. AspectJ keeps the
 * position of each thread as a distance to what was entered last, which is wrong as soon
 * as an advice proceeds for the third time, or later on another thread: then it leaves
 * out what is inside that advice, be it the lock. There is no public way to put it right.
 * Where it cannot be reached, everything is as AspectJ has it.
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

	/**
	 * The position of the advice that runs now, on its thread.
	 * @param joinPoint what it surrounds
	 * @return the position
	 */
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
	 * The same advice is entered anew by each attempt of one around it. Its first place
	 * is where that other one finds itself.
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

	/**
	 * Let this thread be inside the lock, as seen by AspectJ.
	 * @return where it was
	 */
	int take() {
		if (this.current == null) {
			return this.own;
		}
		int before = this.current.get();
		this.current.set(this.own);
		return before;
	}

	/**
	 * Let this thread be where it was.
	 * @param before what {@link #take} has returned
	 */
	void giveBack(int before) {
		if (this.current != null) {
			this.current.set(before);
		}
	}

}
