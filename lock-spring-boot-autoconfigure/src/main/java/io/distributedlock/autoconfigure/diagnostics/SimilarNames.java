package io.distributedlock.autoconfigure.diagnostics;

import java.util.Collection;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/** Finds what was meant by a name that is misspelt. */
public final class SimilarNames {

	/**
	 * More than that is another name, and of a short one so is a change of all letters.
	 */
	static final int MOST_EDITS = 2;

	private SimilarNames() {
	}

	/**
	 * Find the name that is most like a misspelt one.
	 * @param misspelt the name
	 * @param names the names there are
	 * @return the nearest, or {@code null} if none is similar
	 */
	public static @Nullable String nearest(String misspelt, Collection<String> names) {
		return names.stream()
			.filter((name) -> isSimilar(misspelt, name))
			.min(Comparator.<String>comparingInt((name) -> edits(misspelt, name))
				.thenComparing(Comparator.naturalOrder()))
			.orElse(null);
	}

	private static boolean isSimilar(String misspelt, String name) {
		int shorter = Math.min(misspelt.length(), name.length());
		return edits(misspelt, name) <= Math.min(MOST_EDITS, shorter - 1);
	}

	/** How many letters have to be added, removed or replaced. */
	static int edits(String from, String to) {
		int[] row = new int[to.length() + 1];
		for (int column = 0; column < row.length; column++) {
			row[column] = column;
		}
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int replaced = diagonal + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[to.length()];
	}

}
