package io.distributedlock.sample.sale;

import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * What an instance says about itself while it sells.
 *
 * @param shopping how many buyers are being served or wait for the lock
 * @param tally what became of the buyers so far
 * @param events what happened since the last report
 */
public record Report(int shopping, Tally tally, List<InstanceEvent> events) {

	static Report parse(String json) {
		return JsonMapper.shared().readValue(json, Report.class);
	}

	String format() {
		return JsonMapper.shared().writeValueAsString(this);
	}

}
