/** The local name of `holdfast.history`. */
export const HISTORY_TABLE = 'hf_history'

/** The stream that brings the history of records to a device; its parameter `records` is a list of ids. */
export const HISTORY_STREAM = 'holdfast_history'

/** How long a device keeps the history of a record that is no longer shown, in seconds. */
export const HISTORY_KEPT_SECONDS = 7 * 24 * 3600
