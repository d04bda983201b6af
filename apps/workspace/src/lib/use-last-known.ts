import { useState } from 'react'

/**
 * Returns the answer, or the last one while it is asked again, so that controls stay meanwhile.
 *
 * @param key - of the question; an answer to another one is not kept
 */
export function useLastKnown<Answer>(answer: Answer | undefined, key: string): Answer | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly answer: Answer }>()
  if (answer !== undefined && (known?.key !== key || known.answer !== answer)) setKnown({ key, answer })
  return answer ?? (known?.key === key ? known.answer : undefined)
}
