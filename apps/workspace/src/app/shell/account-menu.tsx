import { useNavigate } from '@tanstack/react-router'
import { Keyboard, LogOut, Palette, ShieldCheck, UserRound } from 'lucide-react'
import type { JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Avatar } from '../../components/avatar.tsx'
import { Menu, MenuItem, MenuSection, MenuSeparator, MenuTrigger } from '../../components/menu.tsx'
import { setAppearance, THEMES, useAppearance } from '../../lib/appearance.ts'
import { shellMessages as words } from '../../messages/shell.ts'

/** The signed-in user, appearance settings and sign-out. */
export function AccountMenu({
  name,
  email,
  onSignOut,
}: {
  readonly name: string
  readonly email: string
  readonly onSignOut: () => void
}): JSX.Element {
  const theme = useAppearance((appearance) => appearance.theme)
  const navigate = useNavigate()
  return (
    <MenuTrigger>
      <AriaButton
        aria-label={words.accountOf(name)}
        className="flex size-8 shrink-0 items-center justify-center rounded-full data-hovered:brightness-95 coarse:size-11"
      >
        <Avatar name={name} />
      </AriaButton>
      <Menu label={words.account} className="w-64">
        <MenuSection
          headerClassName="pt-1.5 pb-2"
          header={
            <>
              <span className="block truncate text-body font-medium text-text">{name}</span>
              <span className="block truncate text-small text-muted">{email}</span>
            </>
          }
        >
          <MenuItem icon={<UserRound size={16} aria-hidden />} onAction={() => void navigate({ to: '/account' })}>
            {words.yourAccount}
          </MenuItem>
          <MenuItem
            icon={<ShieldCheck size={16} aria-hidden />}
            onAction={() => void navigate({ to: '/account/security' })}
          >
            {words.accountSecurity}
          </MenuItem>
          <MenuItem
            icon={<Palette size={16} aria-hidden />}
            onAction={() => void navigate({ to: '/account/appearance' })}
          >
            {words.appearance}
          </MenuItem>
          <MenuItem
            icon={<Keyboard size={16} aria-hidden />}
            onAction={() => void navigate({ to: '/account/shortcuts' })}
          >
            {words.shortcuts}
          </MenuItem>
        </MenuSection>
        <MenuSeparator />
        <MenuSection
          headerClassName="pt-1 pb-1 text-small font-medium text-muted"
          header={words.theme}
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[theme]}
          onSelectionChange={(keys) => {
            const chosen = keys === 'all' ? undefined : THEMES.find((candidate) => keys.has(candidate))
            if (chosen) setAppearance({ theme: chosen })
          }}
        >
          {THEMES.map((value) => (
            <MenuItem key={value} id={value}>
              {words.themes[value]}
            </MenuItem>
          ))}
        </MenuSection>
        <MenuSeparator />
        <MenuItem icon={<LogOut size={16} aria-hidden />} onAction={onSignOut}>
          {words.signOut}
        </MenuItem>
      </Menu>
    </MenuTrigger>
  )
}
