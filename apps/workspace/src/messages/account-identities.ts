import { formatAgo } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

const PROVIDERS: Readonly<Record<string, string>> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin: 'LinkedIn',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  oidc: 'OpenID Connect',
  slack: 'Slack',
  slack_oidc: 'Slack',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'X',
  workos: 'WorkOS',
  zoom: 'Zoom',
}

/** Returns a provider's display name, such as `GitHub` for `github`; unknown providers keep their id. */
export function providerName(provider: string): string {
  if (provider === 'email' || provider === 'phone') return identitiesMessages[provider]
  const name = PROVIDERS[provider] ?? provider.replace(/^custom:/, '').replaceAll(/[_-]/g, ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export const identitiesMessages = inLanguages('identitiesMessages', {
  title: 'Ways to sign in',
  lead: 'Accounts that open this account. With two of them, losing one does not lock you out.',
  label: 'Linked accounts',
  none: 'Nothing is linked yet.',
  guest: 'You are a guest: nothing is linked yet. Link an account to keep this one, or add an e-mail on your profile.',
  lastUsed: (at: Date) => `last used ${formatAgo(at)}`,
  added: (at: Date) => `added ${formatAgo(at)}`,
  unlink: 'Unlink',
  unlinkNamed: (name: string) => `Unlink ${name}`,
  onlyOne: 'The only way to sign in; link another one before you remove it.',
  unlinkTitle: (name: string) => `Unlink ${name}?`,
  unlinkDetail: (name: string) => `${name} no longer opens this account. Nothing is deleted there.`,
  unlinkEmail: 'Your e-mail and password no longer open this account.',
  unlinked: (name: string) => `${name} is unlinked`,
  linkTitle: 'Link another account',
  linkLead: 'You are sent there to sign in, and come back here.',
  link: (name: string) => `Link ${name}`,
  noProviders: 'This server has no other accounts to link.',
  email: 'E-mail',
  phone: 'Phone',
  linkingOff: 'Linking and unlinking are switched off on this server. Ask your operator if you need them.',
})
