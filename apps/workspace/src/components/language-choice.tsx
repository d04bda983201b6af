import { type JSX, useState } from 'react'
import { keepLanguage, type Language, LANGUAGES, pageLanguage } from '../lib/language.ts'
import { LANGUAGE_NAMES, languageMessages as words } from '../messages/language.ts'
import { RadioGroup } from './radio-group.tsx'

/**
 * The language of the app on this device. Another one is there after the page is loaded again: what was entered is in the
 * local database by then, and so are drafts.
 *
 * @param onFetch - loads what the language needs, so that it is there without a connection too
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
