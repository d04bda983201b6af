import { type JSX, useState } from 'react'
import { keepLanguage, type Language, LANGUAGES, pageLanguage } from '../lib/language.ts'
import { LANGUAGE_NAMES, languageMessages as words } from '../messages/language.ts'
import { RadioGroup } from './radio-group.tsx'

/**
 * Selects the app's language on this device. Takes effect by reloading, when input is already in the local database or drafts.
 *
 * @param onFetch - caches the language for offline use
 */
export function LanguageChoice({ onFetch }: { readonly onFetch: (language: Language) => Promise<void> }): JSX.Element {
  const [chosen, setChosen] = useState(pageLanguage)
  const [hasFailed, setHasFailed] = useState(false)
  const choose = async (language: Language): Promise<void> => {
    if (language === chosen) return
    setChosen(language)
    setHasFailed(false)
    try {
      await onFetch(language)
    } catch (error) {
      console.info('The texts of the language were not loaded.', error)
      setChosen(pageLanguage())
      setHasFailed(true)
      return
    }
    keepLanguage(language)
    location.reload()
  }
  return (
    <div className="flex flex-col gap-2">
      <RadioGroup
        label={words.title}
        value={chosen}
        onChange={(language) => void choose(language)}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value], lang: value }))}
      />
      <p
        className={hasFailed ? 'text-small text-danger' : 'text-small text-muted'}
        role={hasFailed ? 'alert' : undefined}
      >
        {hasFailed ? words.failed : words.detail}
      </p>
    </div>
  )
}
