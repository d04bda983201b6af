import { useEffect, useEffectEvent, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import { useTypedHere } from '../../lib/data/typing.ts'
import { type Field, type FieldValue, isMergedText } from '../../lib/fields/field.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { settleText, type TextsInConflict } from '../../lib/fields/settle-text.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages } from '../../messages/record.ts'
import { copyText } from '../../components/copy-text.ts'

/** A text being typed, until it is saved. */
export interface TypedText {
  readonly shown: string
  readonly problem: string | undefined
  /** Set if the typed text cannot be merged with a change made in the meantime; the user must choose. */
  readonly conflict: TextsInConflict | undefined
  type(text: string): void
  save(): void
  choose(text: string): void
  /** @returns whether there was typed text to discard */
  takeBack(): boolean
}

/**
 * Typing in a field. On save, a long text that was changed elsewhere gets a three-way merge by lines.
 *
 * @param stored - the text of the record's current value
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
    /** Called when earlier typed text was discarded or equals the stored text. */
    readonly onForget: () => void
  },
  stored: string,
): TypedText {
  const [typed, setTyped] = useState<string>()
  /** The text when the user began to type. */
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
      // Text typed in the meantime is newer.
      if (notStored) setTyped((newer) => newer ?? text)
    })
  }
  /** Stores a text that was edited from `base`. */
  const settle = (text: string, base: string): void => {
    if (!isMergedText(field)) return store(text)
    const settled = settleText(base, text, stored, field.kind === 'long_text')
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
    const settled =
      isMergedText(field) && !conflict ? settleText(seen, typed, stored, field.kind === 'long_text') : undefined
    const text = conflict?.both ?? (settled?.kind === 'conflict' ? settled.conflict.both : (settled?.text ?? typed))
    const parsed = parseValue(field, text)
    if (!parsed.isValid) showToast({ text: fieldMessages.notSaved(parsed.message) })
    else if (parsed.value !== value) onCommit(parsed.value).catch((error: unknown) => offerCopy(field, text, error))
  })
  // Unmounting while the user types does not trigger blur. A user who can no longer choose loses neither version.
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

/** Offers the typed text for copying if the device cannot store it, for example because its column is gone. */
function offerCopy(field: Field, text: string, error: unknown): void {
  console.warn('What was typed could not be stored.', error)
  showToast({
    text: fieldMessages.notKept(field.label),
    action: { label: fieldMessages.copy, run: () => void copyText(text, recordMessages.copied) },
  })
}
