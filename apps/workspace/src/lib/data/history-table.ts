/** Local name of `holdfast.history`. */
export const HISTORY_TABLE = 'hf_history'

/** Stream of record history; its parameter `records` is a list of ids. */
export const HISTORY_STREAM = 'holdfast_history'

/** Time in seconds that history stays on the device after it was shown. */
export const HISTORY_KEPT_SECONDS = 7 * 24 * 3600
