package io.distributedlock.limits;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The figures that a process has measured and tells: numbers with names, in one line. */
final class Figures {

	static final String BEGINNING = "limits ";

	private final Map<String, Long> values = new TreeMap<>();

	static Figures read(String line) {
		Figures figures = new Figures();
		Arrays.stream(line.trim().split(" "))
			.map((pair) -> pair.split("="))
			.forEach((pair) -> figures.put(pair[0], Long.parseLong(pair[1])));
		return figures;
	}

	void put(String name, long value) {
		this.values.put(name, value);
	}

	long get(String name) {
		Long value = this.values.get(name);
		if (value == null) {
			throw new IllegalArgumentException("There is no " + name + " in " + this);
		}
		return value;
	}

	void print() {
		System.out.println(BEGINNING + this);
	}

	@Override
	public String toString() {
		return this.values.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + '=' + entry.getValue())
			.collect(Collectors.joining(" "));
	}

}
