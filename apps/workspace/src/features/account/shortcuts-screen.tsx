import type { JSX } from 'react'
import { Switch } from '../../components/checkbox.tsx'
import { Page } from '../../components/page.tsx'
import { ShortcutList } from '../../components/shortcut-list.tsx'
import { setAppearance, useAppearance } from '../../lib/appearance.ts'
import { shortcutGroups } from '../../components/shortcut-groups.ts'
import { accountMessages as words } from '../../messages/account.ts'

/** Lists all shortcuts, with a switch for the single-letter ones. */
export function ShortcutsScreen(): JSX.Element {
  const hasLetters = useAppearance((appearance) => appearance.hasLetterShortcuts)
  return (
    <Page title={words.shortcutsTitle} width="reading">
      <div className="mb-6 rounded-lg border border-border px-4 py-2">
        <Switch isSelected={hasLetters} onChange={(isOn) => setAppearance({ hasLetterShortcuts: isOn })}>
          <span className="block">{words.letterShortcuts}</span>
          <span className="block text-small text-muted">{words.letterShortcutsDetail}</span>
        </Switch>
      </div>
      <ShortcutList groups={shortcutGroups()} />
    </Page>
  )
}
