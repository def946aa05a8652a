package io.distributedlock.aspectj;

import java.lang.reflect.Field;
import java.util.List;

import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * The position of the lock among several advices around one join point. For each thread,
 * AspectJ counts the position from the advice that was entered last. That is wrong if an
 * advice proceeds for the third time, or later on another thread: AspectJ then leaves out
 * the advices inside it, maybe the lock. There is no public way to correct it, so private
 * fields are changed. Where they cannot be reached, the position stays as AspectJ has it.
 */
final class AdvicePosition {

	private final @Nullable ThreadLocal<Integer> current;

	private final int own;

	/**
	 * The position of the running advice, on its thread. Each attempt of an outer advice
	 * enters the same inner advice again. The outer advice sees the first of these
	 * entries.
	 */
	@SuppressWarnings("unchecked")
	AdvicePosition(ProceedingJoinPoint joinPoint) {
		ThreadLocal<Integer> position = null;
		int first = 0;
		if (value(joinPoint, "arcs") instanceof List<?> advices
				&& value(joinPoint, "arcIndex") instanceof ThreadLocal<?> known) {
			position = (ThreadLocal<Integer>) known;
			Class<?> lock = advices.get(position.get()).getClass();
			while (advices.get(first).getClass() != lock) {
				first++;
			}
		}
		this.current = position;
		this.own = first;
	}

	private static @Nullable Object value(ProceedingJoinPoint joinPoint, String name) {
		try {
			Field field = ReflectionUtils.findField(joinPoint.getClass(), name);
			if (field == null) {
				return null;
			}
			field.setAccessible(true);
			return field.get(joinPoint);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	/** Move this thread inside the lock for AspectJ. Returns the previous position. */
	int take() {
		int before = (this.current != null) ? this.current.get() : this.own;
		giveBack(this.own);
		return before;
	}

	void giveBack(int before) {
		if (this.current != null) {
			this.current.set(before);
		}
	}

}
