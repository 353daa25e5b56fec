export type Role = 'member' | 'admin' | 'worker';

/** The caller: a token that is neither revoked nor expired. */
export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
}
