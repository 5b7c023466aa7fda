//! How the page looks: language, colours, letters, and which panels are where.
//!
//! Invariants: see `model`; each choice is remembered at once.

use super::{
    Changes, EN, Effect, Language, Model, Strings, THEME_NAME, TUTORIAL_SHOWN_NAME, Theme,
};
use crate::playground::layout::{LARGE_NAME, LAYOUT_NAME, Split};

impl Model {
    pub(super) fn toggle_tutorial(&mut self) {
        self.has_tutorial = !self.has_tutorial;
        self.remember_choice(TUTORIAL_SHOWN_NAME, self.has_tutorial);
    }

    pub(super) fn toggle_large(&mut self) {
        self.layout.is_large = !self.layout.is_large;
        self.remember_choice(LARGE_NAME, self.layout.is_large);
    }

    fn remember_choice(&mut self, name: &'static str, is_yes: bool) {
        self.remember(name, if is_yes { "yes" } else { "no" }.to_owned());
        self.changes.frame = true;
    }

    pub(super) fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        let text = match theme {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        self.remember(THEME_NAME, text.to_owned());
        self.changes.frame = true;
    }

    pub(super) fn move_split(&mut self, split: Split, share: Option<u8>) {
        if self.layout.set(split, share) {
            self.remember(LAYOUT_NAME, self.layout.to_text());
            self.changes.frame = true;
        }
    }

    /// Speaks a language from now on, once its texts are there. What was printed stays as it was.
    pub(super) fn speak(&mut self, language: Language) {
        self.wanted = language;
        let strings = match language {
            Language::English => Some(&EN),
            Language::Chinese => self.chinese,
        };
        let Some(strings) = strings else {
            self.effects.push(Effect::FetchTexts(language));
            return;
        };
        self.no_chinese = None;
        self.language = Some(language);
        self.strings = strings;
        self.changes = Changes::ALL;
    }

    /// The texts of Chinese are there, or why not: then it is English. They may come when nobody wants them any more.
    pub(super) fn hear_texts(&mut self, texts: Result<String, String>) {
        let read = texts.and_then(|texts| {
            Strings::from_texts(texts).ok_or_else(|| "the file is of another version".to_owned())
        });
        match read {
            Ok(chinese) => {
                self.chinese = Some(chinese);
                self.speak(self.wanted);
            }
            Err(_) if self.wanted == Language::English => {}
            Err(reason) => {
                self.speak(Language::English);
                self.no_chinese = Some(reason);
            }
        }
    }
}
