"""Files to columns: judgments (`qrels`) and blocks of run rows (`runs`), on one vectorised splitter (`fields`)."""
