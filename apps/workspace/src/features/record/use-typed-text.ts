import { mergeLines } from '@holdfast/protocol'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'

/** Two versions of a long text that have changed the same lines, and the lines of both. */
export interface TextsInConflict {
  readonly mine: string
  readonly theirs: string
  readonly both: string
}

/** A text as it is typed, until it is saved. */
export interface TypedText {
  readonly shown: string
  readonly problem: string | undefined
  /** What was typed cannot be put together with what came into the record meanwhile: the person chooses. */
  readonly conflict: TextsInConflict | undefined
  type(text: string): void
  save(): void
  choose(text: string): void
  /** @returns whether there was typing to take back */
  takeBack(): boolean
}

/**
 * Typing in a field. A long text that was changed meanwhile is merged by lines when it is saved: what the person saw when they began, what they wrote, what is
 * there now.
 *
 * @param stored - the text of the value as the record has it now
 */
export function useTypedText(
  {
    field,
    value,
    onCommit,
  }: {
    readonly field: Field
    readonly value: FieldValue
    readonly onCommit: (value: FieldValue) => Promise<boolean>
  },
  stored: string,
): TypedText {
  const [typed, setTyped] = useState<string>()
  /** What the person saw when they began to type. */
  const [seen, setSeen] = useState('')
  const [conflict, setConflict] = useState<TextsInConflict>()
  const [problem, setProblem] = useState<string>()
  const clear = (): void => {
    setTyped(undefined)
    setProblem(undefined)
  }
  const store = (text: string): void => {
    const parsed = parseValue(field, text)
    if (!parsed.isValid) {
      setProblem(parsed.message)
      return
    }
    clear()
    if (parsed.value === value) return
    void onCommit(parsed.value).then((isStored) => {
      // What was typed meanwhile is newer.
      if (!isStored) setTyped((newer) => newer ?? text)
    })
  }
  /** Stores a text that was made of `base`. */
  const settle = (text: string, base: string): void => {
    if (field.kind !== 'long_text' || stored === base) return store(text)
    const merged = mergeLines(base, text, stored)
    if (merged?.conflicts === 0) store(merged.text)
    else setConflict({ mine: text, theirs: stored, both: merged?.text ?? `${stored}\n${text}` })
  }
  const leave = useEffectEvent(() => {
    if (conflict) void onCommit(conflict.both)
  })
  // Who goes away without choosing loses neither.
  useEffect(() => () => leave(), [])
  return {
    shown: typed ?? stored,
    problem,
    conflict,
    type(text) {
      if (typed === undefined) setSeen(stored)
      setTyped(text)
      setProblem(undefined)
    },
    save() {
      if (typed === undefined || conflict) return
      if (typed === stored) clear()
      else settle(typed, seen)
    },
    choose(text) {
      if (!conflict) return
      setConflict(undefined)
      setTyped(undefined)
      settle(text, conflict.theirs)
    },
    takeBack() {
      if (typed === undefined || conflict) return false
      clear()
      return true
    },
  }
}
