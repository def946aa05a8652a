package io.distributedlock;

import java.util.List;

/** Has a member of each kind. */
public abstract class PublicExample implements Comparable<PublicExample> {

	/** Visible. */
	public static final int LIMIT = 1;

	private final int size;

	protected PublicExample(int size) {
		this.size = size;
	}

	protected abstract List<String> names();

	int size() {
		return this.size;
	}

	/** Visible as well. */
	public static final class Inner {

		protected void unseen() {
		}

	}

	static final class Hidden {

		public void unseen() {
		}

	}

}
