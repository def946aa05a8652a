#!/usr/bin/env bash
# Makes the screenshots of the page in docs/sample. Needs a chromium with its chromedriver.
set -euo pipefail
cd "$(dirname "$0")/.."
mvn -B -ntp -q -pl sample-app -am test -Dtest=PageScreenshots -Dsurefire.failIfNoSpecifiedTests=false
