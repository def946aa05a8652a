package io.distributedlock.benchmarks.comparison;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The view that a parent has of a {@link Worker} or another program.
 */
final class WorkerProcess implements AutoCloseable {

	/** Prefix of each answer, so that no other output is taken for an answer. */
	static final String ANSWER = "answer ";

	private final Process process;

	private final BufferedReader answers;

	private final PrintStream commands;

	private WorkerProcess(Process process) {
		this.process = process;
		this.answers = process.inputReader(StandardCharsets.UTF_8);
		this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
	}

	static WorkerProcess start(Setting setting) throws IOException {
		return start(System.getProperty("java.class.path"), Worker.class, setting.place().host(),
				Integer.toString(setting.place().port()), setting.database());
	}

	/** Start another program that answers. */
	static WorkerProcess start(String classPath, Class<?> program, String... arguments) throws IOException {
		List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx512m", "-cp", classPath, program.getName()));
		line.addAll(List.of(arguments));
		return new WorkerProcess(new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start());
	}

	static List<WorkerProcess> start(Setting setting, int count) throws IOException {
		WorkerProcess[] all = new WorkerProcess[count];
		for (int i = 0; i < count; i++) {
			all[i] = start(setting);
		}
		return List.of(all);
	}

	long ask(String format, Object... values) throws IOException {
		send(format, values);
		return answer()[0];
	}

	void send(String format, Object... values) {
		this.commands.println(format.formatted(values));
	}

	long[] answer() throws IOException {
		for (String line = this.answers.readLine(); line != null; line = this.answers.readLine()) {
			if (line.startsWith(ANSWER)) {
				return Stream.of(line.substring(ANSWER.length()).split(" ")).mapToLong(Long::parseLong).toArray();
			}
		}
		throw new IllegalStateException("A process has ended, see its error above");
	}

	@Override
	public void close() {
		this.commands.close();
		this.process.destroy();
	}

}
