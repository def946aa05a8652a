package io.distributedlock.engine.timer;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** A binary heap of timers ordered by due time. Not thread-safe. */
final class TimerHeap {

	private @Nullable HeapTimer[] heap = new HeapTimer[64];

	private int size;

	int size() {
		return this.size;
	}

	@Nullable HeapTimer peek() {
		return this.heap[0];
	}

	/** Add a timer, or move one that is there already. */
	void put(HeapTimer timer, long due) {
		timer.due = due;
		if (timer.index < 0) {
			if (this.size == this.heap.length) {
				this.heap = Arrays.copyOf(this.heap, this.size * 2);
			}
			place(timer, this.size++);
		}
		siftUp(timer);
		siftDown(timer);
	}

	/** Remove a timer; nothing happens if it is not there. */
	boolean remove(HeapTimer timer) {
		int index = timer.index;
		if (index < 0) {
			return false;
		}
		timer.index = -1;
		HeapTimer last = at(--this.size);
		this.heap[this.size] = null;
		if (last != timer) {
			place(last, index);
			siftUp(last);
			siftDown(last);
		}
		return true;
	}

	private void siftUp(HeapTimer timer) {
		while (timer.index > 0) {
			int parent = (timer.index - 1) >>> 1;
			if (at(parent).due <= timer.due) {
				return;
			}
			swap(timer, parent);
		}
	}

	private void siftDown(HeapTimer timer) {
		while (true) {
			int child = 2 * timer.index + 1;
			if (child >= this.size) {
				return;
			}
			if (child + 1 < this.size && at(child + 1).due < at(child).due) {
				child++;
			}
			if (at(child).due >= timer.due) {
				return;
			}
			swap(timer, child);
		}
	}

	private void swap(HeapTimer timer, int other) {
		int index = timer.index;
		place(at(other), index);
		place(timer, other);
	}

	private void place(HeapTimer timer, int index) {
		this.heap[index] = timer;
		timer.index = index;
	}

	@SuppressWarnings("NullAway") // below the size every place is filled
	private HeapTimer at(int index) {
		return this.heap[index];
	}

}
