/** Local name of `holdfast.fields`. */
export const FIELDS_TABLE = 'hf_fields'
