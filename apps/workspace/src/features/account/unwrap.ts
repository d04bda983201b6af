interface Answer {
  readonly data: unknown
  readonly error: unknown
}

/** The data of an answer of `supabase.auth`; its error is thrown, so that one place puts it into words. */
export function unwrap<A extends Answer>(answer: A): NonNullable<Extract<A, { readonly error: null }>['data']> {
  if (answer.error !== null) throw answer.error
  if (answer.data === null || answer.data === undefined) throw new Error('the answer has neither data nor an error')
  return answer.data
}
