package io.distributedlock.history;

import java.nio.charset.StandardCharsets;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * An event as one line of ASCII: its fields in order, each ended by a tabulator, with a
 * number for each constant. Whatever is not printable ASCII is escaped, so that every key
 * survives, even one that is not valid Unicode.
 */
final class EventLine {

	private static final Op[] OPS = Op.values();

	private static final Phase[] PHASES = Phase.values();

	private static final Mode[] MODES = Mode.values();

	private EventLine() {
	}

	static String write(Event event) {
		StringBuilder line = new StringBuilder(128);
		write(event, line);
		return line.toString();
	}

	static void write(Event event, StringBuilder line) {
		number(line, event.t());
		text(line, event.proc());
		text(line, event.thread());
		text(line, event.key());
		number(line, event.op().ordinal());
		number(line, event.phase().ordinal());
		text(line, event.request());
		number(line, event.token());
		number(line, event.mode().ordinal());
		number(line, event.permits());
		number(line, event.validUntil());
		number(line, event.prev());
		number(line, event.val());
		text(line, event.outcome());
		text(line, event.error());
	}

	private static void number(StringBuilder line, long value) {
		if (value != 0) {
			line.append(value);
		}
		line.append('\t');
	}

	static void text(StringBuilder line, String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c >= ' ' && c < 0x7f && c != '\\') {
				line.append(c);
			}
			else {
				line.append('\\');
				for (int shift = 12; shift >= 0; shift -= 4) {
					line.append(Character.forDigit((c >> shift) & 0xf, 16));
				}
			}
		}
		line.append('\t');
	}

	/**
	 * Read a line.
	 * @param line without its end
	 * @return the event
	 * @throws IllegalArgumentException if it is not a whole line
	 */
	static Event parse(String line) {
		LineFields fields = new LineFields(256);
		byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
		return parse(fields.on(bytes, 0, bytes.length));
	}

	static Event parse(LineFields fields) {
		Event event = new Event(fields.number(), fields.shared(), fields.shared(), fields.shared(),
				fields.constant(OPS), fields.constant(PHASES), fields.text(), fields.number(), fields.constant(MODES),
				(int) fields.number(), fields.number(), fields.number(), fields.number(), fields.shared(),
				fields.text());
		fields.end();
		return event;
	}

}
