package io.distributedlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The main sources of the published modules, read as texts. */
final class Sources {

	private static final Path ROOT = Path.of("../..");

	/** A text, a character or a comment of Java; groups 1 and 2 have the text. */
	private static final Pattern JAVA = Pattern.compile("(?s)\"\"\"(.*?)\"\"\"|\"((?:\\\\.|[^\"\\\\\\n])*+)\""
			+ "|'(?:\\\\.|[^'\\\\\\n])*+'|//[^\\n]*+|/\\*.*?\\*/");

	/** A text or a comment of Lua; groups 1 and 2 have the text. */
	private static final Pattern LUA = Pattern
		.compile("'((?:\\\\.|[^'\\\\\\n])*+)'|\"((?:\\\\.|[^\"\\\\\\n])*+)\"|--[^\\n]*+");

	/** The code between two parts of one text, of which there may be values. */
	private static final Pattern JOINED = Pattern.compile("\\s*(\\+|\\.\\.)(?:[^;]*\\1)?\\s*");

	private static final Pattern PLACEHOLDER = Pattern.compile("%[-,0-9.]*[a-z]|\\{\\}");

	/** Texts by the names of the files. */
	private final Map<String, String> files;

	private Sources(Map<String, String> files) {
		this.files = files;
	}

	/** Read the sources of Java and Lua; each has a name of its own. */
	static Sources read() throws IOException {
		try (Stream<Path> modules = Files.list(ROOT)) {
			List<Path> roots = modules.filter((module) -> module.getFileName().toString().startsWith("lock-"))
				.map((module) -> module.resolve("src/main"))
				.toList();
			List<Path> found = new ArrayList<>();
			for (Path root : roots) {
				DocumentationTests.files(root, "java", "lua").forEach(found::add);
			}
			return new Sources(found.stream()
				.filter((file) -> !file.endsWith("package-info.java"))
				.collect(Collectors.toMap((file) -> file.getFileName().toString(), Sources::text)));
		}
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a value of the code as it is written there.
	 * @param file the name of the file, without the ending if it is of Java
	 * @param place the name of a constant, or a piece of code with {@code {}} in the
	 * place of the value
	 */
	String value(String file, String place) {
		String name = file.endsWith(".lua") ? file : file + ".java";
		String source = Objects.requireNonNull(this.files.get(name), name).replaceAll("\\s+", " ");
		if (file.endsWith(".lua") && !place.contains("{}")) {
			return constantOfLua(source, place);
		}
		String code = place.contains("{}") ? place : place + " = {};";
		String[] parts = code.split("\\{\\}", 2);
		String value = place.contains("{}") ? "([\\w.()]+?)" : "([^;]+)";
		Pattern pattern = Pattern.compile("(?<!\\w)" + Pattern.quote(parts[0]) + value + Pattern.quote(parts[1]));
		return found(pattern.matcher(source), file, place).group(1);
	}

	/** Several constants may be set at once. */
	private static String constantOfLua(String source, String name) {
		Pattern pattern = Pattern.compile("local ([A-Z_, ]*\\b" + name + "\\b[A-Z_, ]*) = ((?:[^, ]+, )*[^, ]+)");
		Matcher found = found(pattern.matcher(source), "Lua", name);
		return found.group(2).split(", ")[Arrays.asList(found.group(1).split(", ")).indexOf(name)];
	}

	private static Matcher found(Matcher matcher, String file, String place) {
		if (!matcher.find()) {
			throw new IllegalStateException("There is no '%s' in %s".formatted(place, file));
		}
		return matcher;
	}

	/** Return the texts of all sources, with an ellipsis in the place of each value. */
	List<String> messages() {
		return this.files.entrySet()
			.stream()
			.flatMap((file) -> messages(file.getValue(), file.getKey().endsWith(".lua") ? LUA : JAVA).stream())
			.toList();
	}

	/** Join the parts of each text of a source. */
	private static List<String> messages(String source, Pattern pattern) {
		List<String> messages = new ArrayList<>();
		StringBuilder between = new StringBuilder(";");
		int end = 0;
		Matcher token = pattern.matcher(source);
		while (token.find()) {
			between.append(source, end, token.start());
			end = token.end();
			String text = (token.group(1) != null) ? token.group(1) : token.group(2);
			if (text != null) {
				add(messages, between.toString(), text);
				between.setLength(0);
			}
		}
		return messages.stream().map(Sources::readable).toList();
	}

	private static void add(List<String> messages, String between, String text) {
		int last = messages.size() - 1;
		if (last >= 0 && JOINED.matcher(between).matches()) {
			boolean direct = between.strip().equals("+") || between.strip().equals("..");
			messages.set(last, messages.get(last) + (direct ? "" : "…") + text);
		}
		else {
			messages.add(text);
		}
	}

	private static String readable(String text) {
		String plain = text.replaceAll("\\\\\\s*\\n|\\\\n", " ").replace("\\", "");
		return PLACEHOLDER.matcher(plain).replaceAll("…").replaceAll("\\s+", " ");
	}

}
