package io.distributedlock.benchmarks.comparison;

import java.util.Locale;
import java.util.Map;

import io.distributedlock.benchmarks.protocol.Table;

/**
 * The first column of a table as a picture with a bar for each row. Its colours follow
 * the light or dark theme of the reader.
 */
record BarChart(Table table) {

	private static final int WIDTH = 800;

	private static final int LABELS = 300;

	private static final int FIGURES = 90;

	private static final int ROW = 26;

	private static final int TOP = 62;

	private static final String STYLE = """
			<style>
			text { font: 13px system-ui, sans-serif; fill: #1f2328 }
			.title { font-size: 15px; font-weight: 600 }
			.unit { fill: #59636e }
			.bar { fill: #8c959f }
			.own { fill: #0969da }
			@media (prefers-color-scheme: dark) {
			text { fill: #f0f6fc }
			.unit { fill: #9198a1 }
			.bar { fill: #656c76 }
			.own { fill: #4493f8 }
			}
			</style>
			""";

	String svg() {
		Map<String, Double> figures = this.table.figures();
		double greatest = figures.values()
			.stream()
			.filter(Double::isFinite)
			.mapToDouble(Double::doubleValue)
			.max()
			.orElse(1);
		int height = TOP + figures.size() * ROW + 10;
		StringBuilder svg = new StringBuilder();
		append(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n",
				WIDTH, height, WIDTH);
		append(svg, "<title>%s: %s</title>\n%s", escaped(this.table.title()), escaped(this.table.unit()), STYLE);
		append(svg, "<text class=\"title\" x=\"10\" y=\"24\">%s</text>\n", escaped(this.table.title()));
		append(svg, "<text class=\"unit\" x=\"10\" y=\"44\">%s</text>\n", escaped(this.table.unit()));
		int y = TOP;
		for (Map.Entry<String, Double> row : figures.entrySet()) {
			appendRow(svg, row.getKey(), row.getValue(), greatest, y);
			y += ROW;
		}
		return svg.append("</svg>\n").toString();
	}

	private void appendRow(StringBuilder svg, String name, double figure, double greatest, int y) {
		double part = (Double.isFinite(figure) && greatest > 0) ? Math.max(0, figure / greatest) : 0;
		double width = Math.max(1, part * (WIDTH - LABELS - FIGURES));
		String own = name.startsWith(Library.OWN.label()) ? "own" : "bar";
		append(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LABELS - 8, y + 14,
				escaped(name.replace("`", "")));
		append(svg, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" rx=\"2\"/>\n", own, LABELS, y,
				width);
		append(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", LABELS + width + 6, y + 14, this.table.text(figure));
	}

	private static void append(StringBuilder svg, String format, Object... values) {
		svg.append(String.format(Locale.ROOT, format, values));
	}

	private static String escaped(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

}
