package io.distributedlock.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A TLA+ module with a configuration of TLC: the constants, and the claims that are
 * checked. Immutable.
 *
 * @param module the name of the module
 * @param configuration the text that TLC reads beside the module
 */
record Model(String module, String configuration) {

	static final Path DIRECTORY = Path.of("src", "test", "tla").toAbsolutePath();

	private static final Pattern RULE = Pattern.compile("(?:Rule\\(|Knows\\(command, )\"([^\"]+)\"\\)");

	/**
	 * The model as a file configures it.
	 * @param module the name of the module
	 * @param file the name of the configuration file without its extension
	 * @return the model
	 */
	static Model of(String module, String file) {
		return new Model(module, read(file + ".cfg"));
	}

	/**
	 * The same model with another constant.
	 * @param constant the name of the constant
	 * @param value its value in TLA+
	 * @return the model
	 */
	Model with(String constant, String value) {
		Matcher line = Pattern.compile("(?m)^  " + constant + " = .*$").matcher(this.configuration);
		if (!line.find()) {
			throw new IllegalArgumentException("There is no constant " + constant + " in " + this.module);
		}
		return new Model(this.module, line.replaceFirst(Matcher.quoteReplacement("  " + constant + " = " + value)));
	}

	/**
	 * The same model without one of its rules.
	 * @param rule the name of the rule
	 * @return the model
	 */
	Model without(String rule) {
		if (!rules().contains(rule)) {
			throw new IllegalArgumentException("There is no rule \"" + rule + "\" in " + this.module);
		}
		return with("Broken", '"' + rule + '"');
	}

	/**
	 * The same model with one claim and no other.
	 * @param kind whether the claim is about states or about behaviours
	 * @param claim its name
	 * @return the model
	 */
	Model claiming(Claim kind, String claim) {
		String others = this.configuration.replaceAll("(?m)^(INVARIANTS|PROPERTIES)\\n(  \\w+\\n)+", "");
		return new Model(this.module, others.replace("CONSTANTS\n", kind + "\n  " + claim + "\nCONSTANTS\n"));
	}

	/** The names of the claims of one kind. */
	List<String> claims(Claim kind) {
		Matcher block = Pattern.compile("(?m)^" + kind + "\\n((?:  \\w+\\n)+)").matcher(this.configuration);
		return block.find() ? block.group(1).strip().lines().map(String::strip).toList() : List.of();
	}

	/** The names of the rules that can be left out. */
	List<String> rules() {
		return RULE.matcher(read(this.module + ".tla")).results().map((found) -> found.group(1)).distinct().toList();
	}

	private static String read(String file) {
		try {
			return Files.readString(DIRECTORY.resolve(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The kinds of claims, with the names that TLC has for them. */
	enum Claim {

		/** Is true in every state. */
		INVARIANTS,

		/** Is true of every step, or of every behaviour. */
		PROPERTIES

	}

}
