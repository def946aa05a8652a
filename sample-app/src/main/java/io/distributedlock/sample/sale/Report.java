package io.distributedlock.sample.sale;

import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * Report of an instance while it sells.
 *
 * @param shopping the number of buyers that are served or wait for the lock
 * @param tally the results of the buyers so far
 * @param events the events since the last report
 */
public record Report(int shopping, Tally tally, List<InstanceEvent> events) {

	static Report parse(String json) {
		return JsonMapper.shared().readValue(json, Report.class);
	}

	String format() {
		return JsonMapper.shared().writeValueAsString(this);
	}

}
