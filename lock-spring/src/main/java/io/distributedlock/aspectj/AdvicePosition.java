package io.distributedlock.aspectj;

import java.lang.reflect.Field;
import java.util.List;

import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * The position of the lock among several advices around one join point. AspectJ counts
 * the position of each thread from the advice that was entered last, which is wrong as
 * soon as an advice proceeds for the third time, or later on another thread: then it
 * leaves out the advices inside that one, maybe the lock. There is no public way to
 * correct it. Where the fields cannot be reached, the position stays as AspectJ has it.
 */
final class AdvicePosition {

	private final @Nullable ThreadLocal<Integer> current;

	private final int own;

	/**
	 * The position of the running advice, on its thread. Each attempt of an outer advice
	 * enters the same inner advice again: the first position of its class is the one that
	 * the outer advice sees.
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

	/** Move this thread inside the lock, as seen by AspectJ. Returns where it was. */
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
