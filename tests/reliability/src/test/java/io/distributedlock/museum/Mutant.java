package io.distributedlock.museum;

import java.util.List;

/**
 * A bug to put into the library.
 *
 * @param id its name
 * @param bugs numbers of the museum's bugs it is one of; none if it is ours
 * @param story the effect of the bug
 * @param source the file, relative to the main sources
 * @param edits the changes to it
 * @param caughtBy the test that must be red then
 */
record Mutant(String id, List<Integer> bugs, String story, String source, List<Edit> edits, TestName caughtBy) {

	boolean isScript() {
		return this.source.endsWith(".lua");
	}

	/** Put the bug into the source. */
	String applyTo(String text) {
		String mutated = text;
		for (Edit edit : this.edits) {
			int at = mutated.indexOf(edit.original());
			if (at < 0 || mutated.indexOf(edit.original(), at + 1) >= 0) {
				throw new IllegalStateException("Repair mutant '%s': %s has its original text %s\n%s".formatted(this.id,
						this.source, (at < 0) ? "not at all" : "more than once", edit.original()));
			}
			mutated = mutated.substring(0, at) + edit.replacement() + mutated.substring(at + edit.original().length());
		}
		return mutated;
	}

	/**
	 * A piece of text that takes the place of another.
	 *
	 * @param original occurs exactly once
	 * @param replacement the text that takes its place
	 */
	record Edit(String original, String replacement) {
	}

}
