package io.distributedlock.benchmarks.protocol;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Figures of candidates, a row for each, as Markdown. The ratio to the first row is taken
 * within each round, so that a disturbance of a whole round cancels out.
 */
public final class Table {

	private final String title;

	private final boolean ratios;

	private final List<Column> columns;

	private final Map<String, List<double[]>> rows = new LinkedHashMap<>();

	private final Map<String, String> reasons = new LinkedHashMap<>();

	/**
	 * Create a table without rows.
	 * @param title the title of the rows
	 * @param ratios {@code true} to compare the first column with that of the first row
	 * @param columns the columns
	 */
	public Table(String title, boolean ratios, Column... columns) {
		this.title = title;
		this.ratios = ratios;
		this.columns = List.of(columns);
	}

	/**
	 * Add a row with its figures.
	 * @param name the name of the row
	 * @param rounds a figure for each column, for each round
	 */
	public void add(String name, List<double[]> rounds) {
		this.rows.put(name, rounds);
	}

	/**
	 * Add a row that cannot be measured.
	 * @param name the name of the row
	 * @param reason the reason
	 */
	public void addMissing(String name, String reason) {
		this.reasons.put(name, reason);
	}

	/**
	 * The title of the rows.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * The title of the first column, with its unit.
	 * @return the title
	 */
	public String unit() {
		return this.columns.get(0).title();
	}

	/**
	 * The first column.
	 * @return its figures as they are shown, by row
	 */
	public Map<String, Double> figures() {
		Map<String, Double> figures = new LinkedHashMap<>();
		this.rows.forEach((name, rounds) -> figures.put(name, this.columns.get(0).figure(rounds, 0)));
		return figures;
	}

	/**
	 * The text of a figure of the first column.
	 * @param figure the figure
	 * @return as in the table
	 */
	public String text(double figure) {
		return this.columns.get(0).text(figure);
	}

	/**
	 * The whole table.
	 * @return Markdown, with the reasons of missing rows below it
	 */
	public String markdown() {
		StringBuilder text = new StringBuilder();
		String titles = this.columns.stream().skip(1).map(Column::title).collect(Collectors.joining(" | "));
		text.append("| ").append(this.title).append(" | ").append(unit());
		text.append(this.ratios ? " | × floor (quartiles)" : "").append(titles.isEmpty() ? "" : " | " + titles);
		int width = this.columns.size() + (this.ratios ? 2 : 1);
		text.append(" |\n|").append("---|".repeat(width)).append('\n');
		this.rows.forEach((name, rounds) -> text.append("| ").append(name).append(cells(rounds)).append(" |\n"));
		this.reasons
			.forEach((name, reason) -> text.append("| ").append(name).append(" | –".repeat(width - 1)).append(" |\n"));
		if (!this.reasons.isEmpty()) {
			text.append('\n');
			this.reasons
				.forEach((name, reason) -> text.append("- ").append(name).append(": ").append(reason).append('\n'));
		}
		return text.toString();
	}

	private String cells(List<double[]> rounds) {
		StringBuilder cells = new StringBuilder();
		for (int i = 0; i < this.columns.size(); i++) {
			Column column = this.columns.get(i);
			cells.append(" | ").append(column.text(column.figure(rounds, i)));
			if (i == 0 && this.ratios) {
				cells.append(" | ").append(ratio(rounds));
			}
		}
		return cells.toString();
	}

	private String ratio(List<double[]> rounds) {
		List<double[]> floor = this.rows.values().iterator().next();
		double[] ratios = IntStream.range(0, rounds.size())
			.mapToDouble((round) -> rounds.get(round)[0] / floor.get(round)[0])
			.toArray();
		return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", Rounds.quartile(ratios, 2), Rounds.quartile(ratios, 1),
				Rounds.quartile(ratios, 3));
	}

	/** The way in which the figures of rounds become one. */
	public enum Summary {

		/** The median. */
		MEDIAN,

		/** The sum, for counts. */
		TOTAL

	}

	/**
	 * A column of figures.
	 *
	 * @param title the title, with its unit
	 * @param digits the number of digits after the point
	 * @param summary the summary of the rounds
	 */
	public record Column(String title, int digits, Summary summary) {

		/**
		 * Create a column of medians.
		 * @param title the title, with its unit
		 * @param digits the number of digits after the point
		 * @return the column
		 */
		public static Column median(String title, int digits) {
			return new Column(title, digits, Summary.MEDIAN);
		}

		/**
		 * Create a column of sums.
		 * @param title the title, with its unit
		 * @return the column
		 */
		public static Column total(String title) {
			return new Column(title, 0, Summary.TOTAL);
		}

		private double figure(List<double[]> rounds, int index) {
			double[] figures = rounds.stream().mapToDouble((figure) -> figure[index]).toArray();
			return (this.summary == Summary.TOTAL) ? Arrays.stream(figures).sum() : Rounds.quartile(figures, 2);
		}

		private String text(double figure) {
			return Double.isNaN(figure) ? "–" : String.format(Locale.ROOT, "%,." + this.digits + "f", figure);
		}

	}

}
