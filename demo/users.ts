export interface User {
  /** What the server, the page and the worker know the user by. */
  readonly name: string;
  readonly label: string;
  /** What the user's photos are of, in a few words. */
  readonly about: string;
  /** Three pictures in the same vein for the card where one signs in. None of them is a photo of the user's. */
  readonly samples: readonly { readonly palette: string; readonly seed: number }[];
}

/** The people who can sign in. They are made up, and the demo asks for no password. */
export const USERS: readonly User[] = [
  {
    name: 'mira',
    label: 'Mira Solberg',
    about: 'Land and weather, by day',
    samples: [
      { palette: 'dawn', seed: 27 },
      { palette: 'meadow', seed: 48 },
      { palette: 'ember', seed: 28 },
    ],
  },
  {
    name: 'jonas',
    label: 'Jonas Vale',
    about: 'Towns and still lifes, by night',
    samples: [
      { palette: 'dusk', seed: 58 },
      { palette: 'frost', seed: 86 },
      { palette: 'silver', seed: 53 },
    ],
  },
];

export function findUser(name: unknown): User | undefined {
  return USERS.find((user) => user.name === name);
}
