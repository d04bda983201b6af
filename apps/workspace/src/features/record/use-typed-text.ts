import { useEffect, useEffectEvent, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import { useTypedHere } from '../../lib/data/typing.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { settleText, type TextsInConflict } from '../../lib/fields/settle-text.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages } from '../../messages/record.ts'
import { copyText } from '../../components/copy-text.ts'

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
    onForget,
  }: {
    readonly field: Field
    readonly value: FieldValue
    /** @returns why it is not stored; `undefined`: it is */
    readonly onCommit: (value: FieldValue) => Promise<object | undefined>
    /** What was typed before is given up, or is as it is stored. */
    readonly onForget: () => void
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
    onForget()
  }
  const store = (text: string): void => {
    const parsed = parseValue(field, text)
    if (!parsed.isValid) {
      setProblem(parsed.message)
      return
    }
    clear()
    if (parsed.value === value) return
    void onCommit(parsed.value).then((notStored) => {
      // What was typed meanwhile is newer.
      if (notStored) setTyped((newer) => newer ?? text)
    })
  }
  /** Stores a text that was made of `base`. */
  const settle = (text: string, base: string): void => {
    if (field.kind !== 'long_text') return store(text)
    const settled = settleText(base, text, stored)
    if (settled.kind === 'text') store(settled.text)
    else setConflict(settled.conflict)
  }
  const save = (): void => {
    if (typed === undefined || conflict) return
    if (typed === stored) clear()
    else settle(typed, seen)
  }
  const leave = useEffectEvent(() => {
    if (typed === undefined || typed === stored) return
    const settled = field.kind === 'long_text' && !conflict ? settleText(seen, typed, stored) : undefined
    const text = conflict?.both ?? (settled?.kind === 'conflict' ? settled.conflict.both : (settled?.text ?? typed))
    const parsed = parseValue(field, text)
    if (!parsed.isValid) showToast({ text: fieldMessages.notSaved(parsed.message) })
    else if (parsed.value !== value) onCommit(parsed.value).catch((error: unknown) => offerCopy(field, text, error))
  })
  // A field that goes while the person is in it has not been left. Who cannot choose any more loses neither version.
  useEffect(() => () => leave(), [])
  useTypedHere(typed !== undefined, save)
  return {
    shown: typed ?? stored,
    problem,
    conflict,
    type(text) {
      if (typed === undefined) setSeen(stored)
      setTyped(text)
      setProblem(undefined)
    },
    save,
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

/** The device has no place for what was typed, such as when its column is gone: the person takes it along. */
function offerCopy(field: Field, text: string, error: unknown): void {
  console.warn('What was typed could not be stored.', error)
  showToast({
    text: fieldMessages.notKept(field.label),
    action: { label: fieldMessages.copy, run: () => void copyText(text, recordMessages.copied) },
  })
}
