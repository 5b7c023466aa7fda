//! The page's language: the browser's at first, then what was chosen.

use super::*;

impl Page {
    fn for_reader_of(languages: &[&'static str], remembered: &[(&str, &str)]) -> Self {
        let mut page = Self { languages: languages.to_vec(), ..Self::empty() };
        page.start("", remembered);
        page
    }

    fn language(&self) -> Option<Language> {
        self.model.frame_view().spoken.map(|spoken| spoken.language)
    }
}

#[test]
fn no_language_is_shown_before_the_browser_has_told_which() {
    assert_eq!(Page::empty().language(), None);
}

#[test]
fn the_first_language_is_the_first_of_the_browsers_that_the_page_has() {
    for (languages, wanted) in [
        (&["zh-CN", "en"][..], Language::Chinese),
        (&["de-DE", "zh-TW", "en"], Language::Chinese),
        (&["en-GB", "zh"], Language::English),
        (&["de-DE"], Language::English),
        (&[], Language::English),
    ] {
        let page = Page::for_reader_of(languages, &[]);
        assert_eq!(page.language(), Some(wanted), "{languages:?}");
        assert_eq!(page.remembered(LANGUAGE_NAME), None);
    }
}

#[test]
fn a_chosen_language_is_remembered_and_counts_more_than_the_browsers() {
    let mut page = Page::for_reader_of(&["zh-CN"], &[]);
    page.event(Event::SetLanguage(Language::English));
    assert_eq!(page.language(), Some(Language::English));
    let text = page.remembered(LANGUAGE_NAME).unwrap().to_owned();
    let page = Page::for_reader_of(&["zh-CN"], &[(LANGUAGE_NAME, &text)]);
    assert_eq!(page.language(), Some(Language::English));
    let page = Page::for_reader_of(&["zh-CN"], &[(LANGUAGE_NAME, "nonsense")]);
    assert_eq!(page.language(), Some(Language::Chinese));
}

#[test]
fn another_language_changes_every_text_and_loses_nothing() {
    let mut page = Page::open();
    page.run("kill infra1");
    page.console(ConsoleEvent::Typed("get f".to_owned()));
    let printed = page.text();
    assert_eq!(printed, "infra1 is being killed.\n");
    page.model.take_changes();
    page.event(Event::SetLanguage(Language::Chinese));
    assert_eq!(page.model.take_changes(), Changes::ALL);
    // What was printed and what is being written stay.
    assert_eq!(page.text(), printed);
    assert_eq!(page.model.console_view().draft, "get f");
    assert_eq!(page.model.frame_view().storage, "IndexedDB");
    assert_eq!(page.model.cluster_view().adds[0].label, "添加成员");
    assert_eq!(page.model.log_view().elections, "尚未选举");
    page.run("restart infra1");
    assert_ne!(page.text(), printed);
    assert!(page.text().starts_with("infra1 "), "{}", page.text());
    page.run("pause infra2");
    assert_eq!(page.text(), "infra2 已暂停：它的世界静止了。\n");
}

#[test]
fn etcdctl_speaks_english_whatever_the_page_does() {
    let outputs: Vec<String> = ["en", "zh"]
        .into_iter()
        .map(|tag| {
            let mut page = Page::for_reader_of(&[tag], &[]);
            page.news(opened(3));
            page.run("get --help");
            let help = page.text();
            page.run("put onlykey");
            help + &page.text()
        })
        .collect();
    assert!(outputs[0].len() > 100, "{outputs:?}");
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn without_the_texts_of_chinese_the_page_is_english_and_says_why() {
    let mut page = Page { has_chinese: false, ..Page::empty() };
    page.languages = vec!["zh"];
    page.start("", &[]);
    assert_eq!(page.language(), None, "it waits for the texts");
    page.news(News::Texts(Err("no network".to_owned())));
    assert_eq!(page.language(), Some(Language::English));
    let banner = page.model.frame_view().banner.unwrap();
    assert!(banner.text.contains("no network") && !banner.is_trouble, "{banner:?}");

    page.news(News::Texts(Ok("of another version\n".to_owned())));
    assert_eq!(page.language(), Some(Language::English));

    page.has_chinese = true;
    page.event(Event::SetLanguage(Language::Chinese));
    assert_eq!(page.language(), Some(Language::Chinese));
    assert_eq!(page.model.frame_view().banner, None);
}

#[test]
fn who_goes_back_to_english_before_the_texts_of_chinese_are_there_stays_with_english() {
    let mut page = Page { has_chinese: false, ..Page::empty() };
    page.start("", &[]);
    page.event(Event::SetLanguage(Language::Chinese));
    assert_eq!(page.language(), Some(Language::English), "it waits for the texts");
    page.event(Event::SetLanguage(Language::English));
    page.news(News::Texts(Ok(ZH.texts())));
    assert_eq!(page.language(), Some(Language::English));

    page.event(Event::SetLanguage(Language::Chinese));
    assert_eq!(page.language(), Some(Language::Chinese), "the texts were kept");
    page.event(Event::SetLanguage(Language::English));
    page.news(News::Texts(Err("no network".to_owned())));
    assert_eq!(page.language(), Some(Language::English));
    assert_eq!(page.model.frame_view().banner, None, "nobody waits for them any more");
}
