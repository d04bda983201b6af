import type { JSX } from 'react'
import { LanguageChoice } from '../../components/language-choice.tsx'
import { Page } from '../../components/page.tsx'
import { RadioGroup } from '../../components/radio-group.tsx'
import { DENSITIES, setAppearance, THEMES, useAppearance } from '../../lib/appearance.ts'
import { fetchTexts } from '../../lib/data/load-texts.ts'
import { accountMessages as words } from '../../messages/account.ts'

/** Appearance settings of this device. */
export function AppearanceScreen(): JSX.Element {
  const { theme, density, motion } = useAppearance()
  return (
    <Page title={words.appearanceTitle} description={words.appearanceLead} width="reading">
      <div className="flex flex-col gap-8">
        <LanguageChoice onFetch={fetchTexts} />
        <RadioGroup
          label={words.theme}
          value={theme}
          onChange={(value) => setAppearance({ theme: value })}
          options={THEMES.map((value) => ({ value, label: words.themes[value] }))}
        />
        <RadioGroup
          label={words.density}
          value={density ?? 'automatic'}
          onChange={(value) => setAppearance({ density: value === 'automatic' ? undefined : value })}
          options={(['automatic', ...DENSITIES] as const).map((value) => ({
            value,
            label: words.densities[value].label,
            description: words.densities[value].detail,
          }))}
        />
        <RadioGroup
          label={words.motion}
          value={motion}
          onChange={(value) => setAppearance({ motion: value })}
          options={[
            { value: 'system', label: words.motions.system },
            { value: 'reduced', label: words.motions.reduced },
          ]}
        />
      </div>
    </Page>
  )
}
