import { TextLink } from './button';

/** The way to what the terms of a page mean. */
export const Words = () => (
  <p className="mt-1 text-[0.8125rem]">
    <TextLink href="/docs/start#the-words">What the words mean</TextLink>
  </p>
);
