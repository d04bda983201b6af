interface Answer {
  readonly data: unknown
  readonly error: unknown
}

/** Returns the data of a `supabase.auth` answer or throws its error, so that one place describes errors. */
export function unwrap<A extends Answer>(answer: A): NonNullable<Extract<A, { readonly error: null }>['data']> {
  if (answer.error !== null) throw answer.error
  if (answer.data === null || answer.data === undefined) throw new Error('the answer has neither data nor an error')
  return answer.data
}
